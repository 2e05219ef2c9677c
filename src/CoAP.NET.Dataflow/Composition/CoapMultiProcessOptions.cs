using CoAP.NET.Observing;

namespace CoAP.NET;

/// <summary>How a process stops, and what several processes at one address share, or one process with its next run.</summary>
/// <remarks>
/// The group <see cref="CoapEndpointOptions.Processes"/>. Read-only once an endpoint uses it. <c>KeepState</c>
/// of the package CoAP.NET.Cluster sets it.
/// </remarks>
[HasSettings]
public sealed partial class CoapMultiProcessOptions
{
    internal CoapMultiProcessOptions()
    {
    }

    /// <summary>
    /// The secret that several processes at one address share, or one process with its next run: at least 32 random bytes.
    /// </summary>
    /// <remarks>
    /// The keys of Echo values (RFC 9175), of the tokens of stateless clients (RFC 8974) and of DTLS cookies derive from it, so each
    /// process accepts the values of the others. Store it like a key. Default empty: each endpoint creates random keys. The clocks of the
    /// machines may differ by a minute. The endpoint copies the secret when it is created, and wipes the copy when it has stopped; wipe
    /// your own copy once the endpoint is created. An Echo value of another process counts as one minute older than it seems, because that
    /// clock may be late. Routes that require freshness of a minute or less (<c>RequireFreshness</c>) therefore challenge a client again
    /// after it moved to another process. The same holds for values that are more than a day old. A value may also refer to an event, for
    /// example to a restart before its creation; this is valid only in its own process.
    /// </remarks>
    /// <exception cref="ArgumentException">The secret is shorter than 32 bytes, or all zeros.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public ReadOnlyMemory<byte> SharedSecret
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value.IsEmpty || (value.Length >= RotatingKeyProvider.MinSecretLength && value.Span.IndexOfAnyExcept((byte)0) >= 0)
                ? value
                : throw new ArgumentException(
                    $"The shared secret has {value.Length} bytes, or is all zeros; it needs at least {RotatingKeyProvider.MinSecretLength} "
                        + "random bytes. Create one with a cryptographic random generator, such as 'openssl rand -base64 32'.",
                    nameof(value));
        }
    }

    /// <summary>While <see cref="SharedSecret"/> is being replaced: the previous one, whose values are accepted too.</summary>
    internal PreviousSecret? PreviousSecret { get; set; }

    /// <summary>
    /// Whether several processes of this machine and account listen at one UDP port, of <c>coap</c> and <c>coaps</c> (SO_REUSEPORT).
    /// </summary>
    /// <remarks>
    /// All of them must set it. Linux only. The kernel distributes clients by addresses and ports, and changes the distribution when a
    /// process starts or ends. Peers on <c>coap</c> may then reach another process, and DTLS sessions need steering, as in a cluster. Not
    /// for port 0. Default false: a port in use is an error at the start.
    /// </remarks>
    /// <exception cref="PlatformNotSupportedException">Set to true on a system other than Linux.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public bool SharePort
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = !value || OperatingSystem.IsLinux()
                ? value
                : throw new PlatformNotSupportedException(
                    "CoapMultiProcessOptions.SharePort needs Linux, whose kernel distributes clients over the processes at a port. Give "
                        + "each process its own port behind a load balancer, or run one process with several shards.");
        }
    }

    /// <summary>How long stopping waits for running requests.</summary>
    [TimeRange(0, 24 * Seconds.Day)]
    public partial TimeSpan StopGracePeriod { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Whether the endpoint answers requests 5.03 while it stops.</summary>
    /// <remarks>
    /// With false it sends no response, so clients keep retransmitting until the next process listens at the address or another one serves
    /// it: for deployments that replace a server. Null, the default, means true, and false in a cluster (<c>KeepState</c>). The endpoint
    /// always answers requests over TCP, TLS and WebSockets, because clients do not retransmit them.
    /// </remarks>
    public partial bool? AnswerWhileStopping { get; set; }

    /// <summary>
    /// Receives the observers of resources of this endpoint, so that they can be restored after a restart or a crash
    /// (<see cref="CoapServer.TryRestoreObserver"/>).
    /// </summary>
    /// <remarks>Default null: observers register again.</remarks>
    internal ICoapObserverStore? ObserverStore { get; set; }
}
