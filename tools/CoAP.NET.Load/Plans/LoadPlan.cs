using System.Text.Json.Serialization;

namespace CoAP.NET.Load.Plans;

/// <summary>
/// The plan of one run. The same for all workers, except for <see cref="FirstPeer"/>, <see cref="Peers"/> and the <see cref="Rate"/> of an
/// open loop, which a coordinator distributes.
/// </summary>
internal sealed record LoadPlan
{
    /// <summary>The resource, with any scheme of the library.</summary>
    public required string Uri { get; init; }

    public LoadPacing Loop { get; init; }

    /// <summary>The code of the requests: a method (RFC 7252 section 12.1.1).</summary>
    public string Method { get; init; } = "GET";

    /// <summary>The body of the requests, as text; null for none.</summary>
    public string? Payload { get; init; }

    /// <summary>The size of a body of zeros instead of <see cref="Payload"/>, in bytes; null for none.</summary>
    public int? PayloadBytes { get; init; }

    /// <summary>Whether requests and notifications are Confirmable. Without meaning on streams.</summary>
    public bool Confirmable { get; init; } = true;

    /// <summary>Number of peers that the server sees, 1 to 1,000,000.</summary>
    public int Peers { get; init; } = 16;

    /// <summary>The number of the first peer: its source address follows from it.</summary>
    public int FirstPeer { get; init; }

    /// <summary>
    /// The address of the first peer; the n-th has the n-th address after it. Null: 127.1.0.1 if the target is 127.0.0.1, otherwise a port
    /// instead of an address of its own.
    /// </summary>
    public string? FirstSource { get; init; }

    /// <summary>
    /// Number of concurrent requests per peer, 1 to 1,000. More than 1 over UDP needs a higher NSTART (RFC 7252 section 4.7), which the run
    /// sets.
    /// </summary>
    public int Depth { get; init; } = 1;

    /// <summary>
    /// Requests per second of an open loop, which a coordinator divides by peers. For an observing run, changes per second by PUT, all from
    /// the worker of the first peer. 0 for none.
    /// </summary>
    public double Rate { get; init; }

    /// <summary>
    /// Whether the times between requests of an open loop vary as those of independent users do (exponentially) instead of being equal.
    /// </summary>
    public bool Poisson { get; init; }

    /// <summary>Seconds to measure.</summary>
    public double Seconds { get; init; } = 10;

    /// <summary>Seconds before the measurement.</summary>
    public double WarmUpSeconds { get; init; } = 3;

    /// <summary>Seconds over which the peers start, to avoid an initial burst.</summary>
    public double RampSeconds { get; init; } = 1;

    /// <summary>Seconds after which an unanswered request counts as lost.</summary>
    public double TimeoutSeconds { get; init; } = 5;

    /// <summary>Number of retransmissions of a Confirmable request (MAX_RETRANSMIT). 0: a lost message is visible as lost.</summary>
    public int Retransmissions { get; init; }

    /// <summary>The payload that every answer must have, as text; null: any 2.xx is correct.</summary>
    public string? Expected { get; init; }

    public int Seed { get; init; } = 1;

    public CoapRetransmissionAlgorithm RetransmissionTiming { get; init; }

    /// <summary>
    /// Applies keys, certificates and trust to clients; null for the authorities of the operating system. They are secret: no report
    /// contains them, and no worker gets them.
    /// </summary>
    [JsonIgnore]
    public Action<CoapEndpointOptions>? Secure { get; init; }

    /// <summary>
    /// The process id of the server, to measure its processor time and memory over exactly the measured time; null if it runs elsewhere.
    /// </summary>
    public int? ServerProcess { get; init; }
}
