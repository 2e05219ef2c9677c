using System.Security.Cryptography;
using CoAP.NET.Oscore.Contexts;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Sequences;
using CoAP.NET.Oscore.Stage;
using CoAP.NET.Oscore.Telemetry;
using CoAP.NET.Peers;

namespace CoAP.NET.Oscore;

/// <summary>
/// A security context (RFC 8613 section 3): the keys derived from its parameters, the used sequence numbers, and the received ones.
/// </summary>
/// <remarks>
/// One context serves both roles, and any number of endpoints of a process. Thread-safe. A sequence number that occurs twice under one key
/// reveals the content of both messages. So open a context whose secret outlives the process with <see cref="OpenAsync"/>, and only once at
/// a time.
/// </remarks>
public sealed class OscoreContext : CoapObjectSecurityContext, IAsyncDisposable
{
    private static readonly OscoreLimits s_defaults = new();

    // Flags, Partial IV, length of the kid context; header of the option; code, payload marker and an outer Observe.
    private const int OverheadBesideIds = 1 + OscoreOptionValue.MaxPartialIvLength + 1 + 2 + 1 + 1 + 5;

    // Marker in the count of peers that use the context.
    private const int Retired = 1 << 30;

    // Null if no store has the context.
    private readonly OscoreContextState? _state;
    private readonly OscoreIdentity _identity;
    private readonly int _exchangeOverhead;
    private int _isClosed;
    private int _uses;

    private OscoreContext(
        OscoreParameters parameters, OscoreKeys keys, OscoreContextState state, object? owner = null,
        OscoreKeyExchangeLastMessage? exchange = null)
    {
        Parameters = parameters;
        Keys = keys;
        _state = state.IsStored ? state : null;
        Sequence = state.Sequence;
        Window = state.Window;
        _identity = new OscoreIdentity(this, owner);
        FirstRequest = exchange is null ? null : new ClientCombinedRequestSelector(exchange);
        _exchangeOverhead = exchange?.Overhead ?? 0;
    }

    /// <summary>The parameters from which the keys derive.</summary>
    public OscoreParameters Parameters { get; }

    /// <summary>The principal: an <see cref="OscoreIdentity"/>.</summary>
    internal override ICoapPeerIdentity Identity => _identity;

    /// <inheritdoc/>
    internal override int Overhead =>
        OverheadBesideIds + Parameters.SenderId.Length + Parameters.IdContextBytes.Length + Parameters.Algorithm.TagLength
        + _exchangeOverhead + (Rederivation is null ? 0 : OscoreRederivation.Overhead);

    /// <summary>
    /// Maximum message size: the longest plaintext of the algorithm minus the overhead. The plaintext limit is 65,535 bytes for nonces of
    /// 13 bytes, as in AES-CCM-16-64-128.
    /// </summary>
    internal override int MaxMessageSize => Parameters.Algorithm.MaxPlaintextLength - Overhead;

    internal OscoreKeys Keys { get; }

    /// <summary>The request that carries the last message of a key exchange; null without one.</summary>
    internal ClientCombinedRequestSelector? FirstRequest { get; }

    /// <summary>Derives new keys for each run; null if the context uses the keys of its parameters.</summary>
    internal OscoreRederivation? Rederivation { get; init; }

    /// <summary>Whether this node may use it.</summary>
    internal OscoreContextLocation Availability => _state?.Availability ?? OscoreContextLocation.Here;

    internal OscoreSequence Sequence { get; }

    /// <summary>The received sequence numbers of the other end.</summary>
    internal OscoreReplayWindow Window { get; }

    /// <summary>
    /// The Echo value by which a request proves that it was sent after the start of this process (RFC 8613 appendix B.1.2): 8 random bytes
    /// if the window was lost, otherwise empty.
    /// </summary>
    internal byte[] Challenge { get; private set; } = [];

    /// <summary>Creates a context that begins at number 0 and ends with the process.</summary>
    /// <param name="parameters">The parameters. The caller may wipe their secret afterwards.</param>
    /// <param name="owner">
    /// The application's identity of the other end (<see cref="OscoreIdentity.Owner"/>); null if only the IDs are known.
    /// </param>
    /// <returns>The context.</returns>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the algorithm.</exception>
    /// <remarks>
    /// Use it only for secrets that live no longer than the process, such as those of EDHOC, and in tests: with a secret from an earlier
    /// run, all sequence numbers repeat.
    /// </remarks>
    public static OscoreContext CreateVolatile(OscoreParameters parameters, object? owner = null) =>
        CreateVolatile(parameters, owner, null);

    /// <summary>Creates a context whose first request carries the last message of a key exchange.</summary>
    internal static OscoreContext CreateVolatile(OscoreParameters parameters, object? owner, OscoreKeyExchangeLastMessage? exchange)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return new OscoreContext(parameters, new OscoreKeys(parameters), OscoreContextState.Volatile(parameters), owner, exchange);
    }

    /// <summary>
    /// Creates a context that derives new keys from the secret at each start, and when the other end has lost its own (RFC 8613 appendix
    /// B.2).
    /// </summary>
    /// <param name="parameters">The parameters. The context copies their secret.</param>
    /// <param name="random">The source of randomness; null for the system's.</param>
    /// <returns>The context.</returns>
    /// <exception cref="ArgumentException">The parameters have an ID Context.</exception>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the algorithm.</exception>
    /// <remarks>
    /// It needs no store. Both ends must do so. It costs a round trip, and needs good randomness at both ends; observations end with the
    /// run. The parameters have no ID Context, because each run creates one.
    /// </remarks>
    public static OscoreContext CreateRederived(OscoreParameters parameters, CoapRandomSource? random = null)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return parameters.HasIdContext
            ? throw new ArgumentException(
                "A context that derives new keys for each run creates its ID Context itself (RFC 8613 appendix B.2). Leave IdContext "
                    + "null.",
                nameof(parameters))
            : new OscoreContext(parameters, new OscoreKeys(parameters), OscoreContextState.Volatile(parameters))
            {
                Rederivation = new OscoreRederivation(parameters, random ?? CoapRandomSource.Secure),
            };
    }

    /// <summary>
    /// Creates a context whose sequence numbers a store keeps, so that none repeats after a restart (RFC 8613 appendix B.1.1).
    /// </summary>
    /// <param name="parameters">The parameters. The caller may wipe their secret afterwards.</param>
    /// <param name="store">The store of the numbers.</param>
    /// <param name="scheduler">Runs the calls of the store on its threads; null for the library's scheduler.</param>
    /// <param name="timeProvider">The clock; null for the system's.</param>
    /// <param name="random">The source of randomness; null for the system's.</param>
    /// <param name="cancellationToken">Cancels the wait for the store.</param>
    /// <returns>The context; dispose it when the process ends, so that the store keeps the replay window.</returns>
    /// <exception cref="OscoreStoreException">
    /// The store cannot determine the next number. The context never treats this as a new state.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">The platform lacks the algorithm.</exception>
    /// <remarks>
    /// If the last process ended without closing the context, the replay window is lost, and the context answers the first request with a
    /// challenge (appendix B.1.2).
    /// </remarks>
    public static async ValueTask<OscoreContext> OpenAsync(
        OscoreParameters parameters, IOscoreStore store, CoapThreadScheduler? scheduler = null, TimeProvider? timeProvider = null,
        CoapRandomSource? random = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        ArgumentNullException.ThrowIfNull(store);
        OscoreKeys keys = new(parameters);
        OscoreContextState state = await OscoreContextState.OpenAsync(
            parameters, store, scheduler ?? CoapThreadScheduler.Default, timeProvider ?? TimeProvider.System, cancellationToken)
            .ConfigureAwait(false);
        OscoreContext context = new(parameters, keys, state);
        if (context.Window.State == OscoreReplayWindowStatus.Lost)
        {
            context.Challenge = new byte[8];
            (random ?? CoapRandomSource.Secure).Fill(context.Challenge);
            await context.PrepareChallengeAsync(cancellationToken).ConfigureAwait(false);
        }

        return context;
    }

    /// <inheritdoc/>
    internal override CoapPeerSecurityContext MakePeer(CoapMessageProtector? protection)
    {
        OscoreProtection? own = protection as OscoreProtection;
        OscoreTelemetry? telemetry = own?.Telemetry;
        if (telemetry is not null)
        {
            Sequence.ReportTo(telemetry, this);
        }

        return new OscorePeer(this, telemetry, (own?.Limits ?? s_defaults).MaxRequestsPerPeer);
    }

    /// <summary>
    /// Closes the context: it protects and verifies no more messages, wipes its keys, and stores the received numbers. Repeating the call
    /// does nothing.
    /// </summary>
    /// <returns>
    /// A task that ends when the store has the numbers. It does not report a failure; the next process then begins with a challenge.
    /// </returns>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
        {
            return;
        }

        Wipe();
        Rederivation?.Dispose();
        CryptographicOperations.ZeroMemory(Challenge);
        try
        {
            if (_state is not null)
            {
                await _state.CloseAsync(CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (OscoreStoreException)
        {
            // Without the stored window the next process needs a round trip, but remains safe.
        }
    }

    /// <summary>Assigns no more numbers, and wipes the keys.</summary>
    internal void Wipe()
    {
        Sequence.Close();
        Keys.Dispose();
    }

    /// <summary>Wipes the keys as soon as no exchange with any peer is pending.</summary>
    internal void Deactivate()
    {
        if (Interlocked.Or(ref _uses, Retired) == 0)
        {
            Wipe();
        }
    }

    /// <summary>Counts a peer whose first exchange begins.</summary>
    internal void Enter() => Interlocked.Increment(ref _uses);

    /// <summary>Removes a peer whose last exchange has ended from the count.</summary>
    internal void Leave()
    {
        if (Interlocked.Decrement(ref _uses) == Retired)
        {
            Wipe();
        }
    }

    /// <summary>Returns sender, recipient and algorithm, without any secret.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"OSCORE {Parameters}";

    // A challenge needs a number: without a reserved one it is dropped, while its request counts as acknowledged.
    private async Task PrepareChallengeAsync(CancellationToken cancellationToken)
    {
        try
        {
            await Sequence.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OscoreStoreException)
        {
            // The sender gets the error; receiving still works.
        }
    }
}
