using System.Text.Json.Serialization;

namespace CoAP.NET.Cli.Bench;

/// <summary>
/// What one run does. The same for all workers, but for <see cref="FirstPeer"/>, <see cref="Peers"/> and the <see cref="Rate"/> of an open
/// loop, which a coordinator deals out.
/// </summary>
internal sealed record LoadPlan
{
    /// <summary>The resource, with any scheme that the library has.</summary>
    public required string Uri { get; init; }

    /// <summary>When the next request is sent.</summary>
    public LoadLoop Loop { get; init; }

    /// <summary>The code of the requests: a method (RFC 7252 section 12.1.1).</summary>
    public string Method { get; init; } = "GET";

    /// <summary>The body of the requests, as text; null for none.</summary>
    public string? Payload { get; init; }

    /// <summary>The size of a body of zeros instead of <see cref="Payload"/>, in bytes; null for none.</summary>
    public int? PayloadBytes { get; init; }

    /// <summary>Whether requests, and the notifications that are asked for, are Confirmable. On streams without meaning.</summary>
    public bool Confirmable { get; init; } = true;

    /// <summary>How many peers the server sees, 1 to 1,000,000.</summary>
    public int Peers { get; init; } = 16;

    /// <summary>The number of the first peer: its source address follows from it.</summary>
    public int FirstPeer { get; init; }

    /// <summary>
    /// The address of the first peer; the n-th has the n-th address after it. Null: 127.1.0.1 when the target is 127.0.0.1, else no address
    /// of its own, but a port.
    /// </summary>
    public string? FirstSource { get; init; }

    /// <summary>
    /// Requests that each peer has under way at a time, 1 to 1,000. More than 1 over UDP breaks NSTART (RFC 7252 section 4.7), which is
    /// then raised.
    /// </summary>
    public int Depth { get; init; } = 1;

    /// <summary>
    /// Requests a second of an open loop, which a coordinator divides by peers; or changes a second that an observing run makes by PUT,
    /// which it does not divide, as the worker of the first peer makes all of them. 0 for none.
    /// </summary>
    public double Rate { get; init; }

    /// <summary>
    /// Whether the times between requests of an open loop vary as those of independent users do (exponentially) instead of being equal.
    /// </summary>
    public bool Poisson { get; init; }

    /// <summary>Seconds that are measured.</summary>
    public double Seconds { get; init; } = 10;

    /// <summary>Seconds before, that are not.</summary>
    public double WarmUpSeconds { get; init; } = 3;

    /// <summary>Seconds over which the peers start, so that they do not begin with one burst.</summary>
    public double RampSeconds { get; init; } = 1;

    /// <summary>After how many seconds an unanswered request counts as lost.</summary>
    public double TimeoutSeconds { get; init; } = 5;

    /// <summary>How often a Confirmable request is repeated (MAX_RETRANSMIT). 0: what is lost is seen as lost.</summary>
    public int Retransmissions { get; init; }

    /// <summary>The payload that every answer must have, as text; null: any 2.xx is right.</summary>
    public string? Expected { get; init; }

    /// <summary>The seed of everything that is left to chance.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>
    /// The identity and the pre-shared key of the clients of a <c>coaps</c> target, as <c>ID:KEY</c>; null for other targets. A secret, so
    /// it is in no report and is sent to no worker.
    /// </summary>
    [JsonIgnore]
    public string? Psk { get; init; }

    /// <summary>
    /// The process id of the server, whose processor time and memory are read over exactly the measured time; null when it runs elsewhere.
    /// </summary>
    public int? ServerProcess { get; init; }
}
