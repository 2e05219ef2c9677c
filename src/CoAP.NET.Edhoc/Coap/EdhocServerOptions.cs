using System.Diagnostics.Metrics;
using CoAP.NET.Oscore;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Edhoc;

/// <summary>Options of an <see cref="EdhocServer"/>, which makes them read-only.</summary>
[HasSettings]
public sealed partial class EdhocServerOptions
{
    /// <summary>The supported cipher suites, preferred ones first.</summary>
    /// <remarks>Default: 2, 3, 0, 1, 4, 5, 6 and 24, as far as this platform supports them.</remarks>
    public IList<EdhocCipherSuite> Suites => Settings.Suites;

    /// <summary>Cipher suites and limits of messages.</summary>
    internal EdhocSettings Settings { get; set; } = new();

    /// <summary>
    /// The server's own credentials; it uses the first one that fits method and suite, so they determine the supported methods. At least
    /// one.
    /// </summary>
    public IList<EdhocOwnCredential> Credentials { get; } = new SettingList<EdhocOwnCredential>();

    /// <summary>Decides which clients to trust. Default: an empty <see cref="EdhocCredentialStore"/>, which trusts none.</summary>
    public partial IEdhocCredentialResolver Trust { get; set; } = new EdhocCredentialStore();

    /// <summary>Receives the security context of each session: the object that the endpoint got in <c>UseOscore</c>.</summary>
    /// <remarks>
    /// The server then also accepts message_3 together with a protected request (RFC 9668), unless <see cref="SendsMessage4"/>. Each server
    /// needs contexts of its own. Default null: sessions create no context.
    /// </remarks>
    public partial OscoreContexts? Contexts { get; set; }

    /// <summary>Maximum number of session contexts in <see cref="Contexts"/>; a new one evicts the oldest.</summary>
    [NumberRange(1)]
    public partial int MaxContexts { get; set; } = 10_000;

    /// <summary>Maximum number of session contexts per credential; a new one evicts its oldest.</summary>
    /// <remarks>One credential can have several contexts if devices share it, or from sessions before the latest one.</remarks>
    [NumberRange(1)]
    public partial int MaxContextsPerPeer { get; set; } = 4;

    /// <summary>
    /// Runs for each peer that has proved its identity, before the answer and before the creation of its security context.
    /// </summary>
    /// <remarks>
    /// The server disposes the session afterwards and wipes its keys. An <see cref="EdhocException"/> refuses the peer, and another
    /// exception leads to 5.00; the peer then has no session. Default: no action.
    /// </remarks>
    public partial Func<EdhocResult, CoapPeer, CancellationToken, ValueTask>? Established { get; set; }

    /// <summary>Creates external authorization data for each message of the server (RFC 9528 section 3.8).</summary>
    /// <remarks>
    /// The server reads data of clients if <see cref="EdhocSettings.EadLabels"/> contains its label. The timeout of the session applies; an
    /// <see cref="EdhocException"/> refuses the client. Default null: none.
    /// </remarks>
    internal Func<EdhocEadRequest, CancellationToken, ValueTask<IReadOnlyList<EdhocEad>>>? CreateEad { get; set; }

    /// <summary>
    /// Decides whether an identifier is in use, for example as the Recipient ID of an OSCORE security context (RFC 9668 section 4.1).
    /// </summary>
    /// <remarks>
    /// The server already knows those of its sessions and of <see cref="Contexts"/>. Called often, possibly by several threads. Default: no
    /// others are in use.
    /// </remarks>
    public partial Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }

    /// <summary>
    /// Whether the server answers message_3 with message_4, which proves to the client that the server has the same keys.
    /// </summary>
    /// <remarks>Default false: the first OSCORE message proves it.</remarks>
    public partial bool SendsMessage4 { get; set; }

    /// <summary>The method if a client makes the server the Initiator, with an empty POST (RFC 9528 appendix A.2.2).</summary>
    /// <remarks>Default null: the server refuses such requests.</remarks>
    public partial EdhocMethod? ReverseMethod { get; set; }

    /// <summary>
    /// Whether clients send message_4 when the server is the Initiator, so that a session is established only after the client has proved
    /// that it has the same keys.
    /// </summary>
    /// <remarks>Both sides have to agree on it in advance.</remarks>
    public partial bool AwaitsMessage4 { get; set; }

    /// <summary>Whether a client on datagrams must prove its address before the server computes a key for it.</summary>
    /// <remarks>
    /// Until then it gets 4.01 with an Echo (RFC 9175 section 2.3), which clients of this library answer by themselves. Default true.
    /// </remarks>
    public partial bool RequireVerified { get; set; } = true;

    /// <summary>Maximum number of pending sessions.</summary>
    /// <remarks>When it is reached, a new session ends the oldest one of the source that has most.</remarks>
    [NumberRange(1)]
    public partial int MaxSessions { get; set; } = 1000;

    /// <summary>Maximum number of pending sessions per source (<see cref="CoapQuotaSource"/>); further ones get 5.03.</summary>
    /// <remarks>
    /// A failed session counts until <see cref="Timeout"/> has passed, which also limits the signatures that a source can cause.
    /// </remarks>
    [NumberRange(1)]
    public partial int MaxSessionsPerSource { get; set; } = 16;

    /// <summary>Maximum duration of a session from message_1 to its end.</summary>
    [TimeRange(0, IsMinExcluded = true)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>The logger of sessions; it never gets a key. Default: none.</summary>
    public partial ILogger Logger { get; set; } = NullLogger.Instance;

    /// <summary>Creates the meter of <see cref="CoapTelemetry.MeterName"/>.</summary>
    /// <remarks>
    /// Default null: the process has one meter. The metrics are <c>coap.edhoc.sessions</c> and <c>coap.edhoc.active_sessions</c>.
    /// </remarks>
    public partial IMeterFactory? MeterFactory { get; set; }

    /// <summary>The clock. Default: the system clock.</summary>
    public partial TimeProvider TimeProvider { get; set; } = TimeProvider.System;
}
