using System.Diagnostics.Metrics;
using CoAP.NET.Oscore;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Edhoc;

/// <summary>How an <see cref="EdhocServer"/> works. Read when it is made.</summary>
public sealed class EdhocServerOptions
{
    /// <summary>Suites and bounds of messages.</summary>
    public EdhocSettings Settings { get; set; } = new();

    /// <summary>What the server authenticates by. The first that fits method and suite is used, so the list says which methods are
    /// supported. One at least.</summary>
    public IList<EdhocOwnCredential> Credentials { get; } = [];

    /// <summary>Whom to trust. Default: an empty <see cref="EdhocCredentialStore"/>, nobody.</summary>
    public IEdhocCredentialResolver Trust { get; set; } = new EdhocCredentialStore();

    /// <summary>
    /// Where the security context of each session goes: what the endpoint was given by <c>UseOscore</c>. Requests with message_3 and what
    /// OSCORE protected are taken then too (RFC 9668), unless <see cref="SendsMessage4"/>. Each server has contexts of its own. Default
    /// null: sessions leave no context.
    /// </summary>
    public OscoreContexts? Contexts { get; set; }

    /// <summary>How many contexts of sessions are kept in <see cref="Contexts"/>; the oldest one goes. 1 or more; default 10,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContexts { get; set => field = AtLeastOne(value); } = 10_000;

    /// <summary>How many of them one credential has, such as of the devices that share it, or of sessions that began before the last one;
    /// its oldest one goes. 1 or more; default 4.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContextsPerPeer { get; set => field = AtLeastOne(value); } = 4;

    /// <summary>
    /// Called for each peer that has proven who it is, before it is answered and before its security context is made. The session is
    /// disposed afterwards, and its keys are wiped. An <see cref="EdhocException"/> refuses the peer, another exception is answered 5.00;
    /// the peer has no session then. Default: nothing is done.
    /// </summary>
    public Func<EdhocSession, CoapPeer, CancellationToken, ValueTask>? Established { get; set; }

    /// <summary>
    /// Makes external authorization data for each message that the server sends (RFC 9528 section 3.8). What clients send is read where
    /// <see cref="EdhocSettings.EadLabels"/> has its label. It may take no longer than the session; an <see cref="EdhocException"/> refuses
    /// the client. Default null: none is sent.
    /// </summary>
    public Func<EdhocEadRequest, CancellationToken, ValueTask<IReadOnlyList<EdhocEad>>>? CreateEad { get; set; }

    /// <summary>
    /// Whether an identifier is taken, such as by the Recipient ID of a security context of OSCORE (RFC 9668 section 3.3). Those of
    /// sessions that have begun are known, and those of <see cref="Contexts"/>. Called often, possibly by several threads. Default: none is
    /// taken.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }

    /// <summary>Whether the answer to message_3 is message_4, which shows the client that the server has the same keys. Default false: the
    /// first message of OSCORE does.</summary>
    public bool SendsMessage4 { get; set; }

    /// <summary>The method when clients have the server be the Initiator, by an empty POST (RFC 9528 appendix A.2.2). Default null: such
    /// requests are refused.</summary>
    public EdhocMethod? ReverseMethod { get; set; }

    /// <summary>
    /// Whether clients send message_4 where the server is the Initiator, so that a session is established only when the client has shown
    /// that it has the same keys. Both sides have to agree on it beforehand. Default false.
    /// </summary>
    public bool AwaitsMessage4 { get; set; }

    /// <summary>
    /// Whether a client on datagrams must have shown that it receives at its address before any key is computed for it: it is answered 4.01
    /// with an Echo until then (RFC 9175 section 2.3), which clients of this library answer by themselves. Default true.
    /// </summary>
    public bool RequireVerified { get; set; } = true;

    /// <summary>How many sessions may be under way. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessions { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>
    /// How many of them one source may have (<see cref="CoapSource"/>); more get 5.03. A session that failed counts until
    /// <see cref="Timeout"/> has passed, so a source causes no more signatures in this time. 1 or more; default 16.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessionsPerSource { get; set => field = AtLeastOne(value); } = 16;

    /// <summary>How long a session may take from message_1 to the end. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>Where sessions are logged; never a key. Default: nowhere.</summary>
    public ILogger Logger { get; set; } = NullLogger.Instance;

    /// <summary>Makes the meter of <see cref="CoapTelemetry.MeterName"/>; default null: there is one for the process. The metrics are
    /// <c>coap.edhoc.sessions</c> and <c>coap.edhoc.active_sessions</c>.</summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>The clock. Default the system's.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    private static int AtLeastOne(int value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        return value;
    }
}
