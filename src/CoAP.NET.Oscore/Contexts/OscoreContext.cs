using System.Security.Cryptography;
using CoAP.NET.Mesh;
using CoAP.NET.Protection;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Oscore;

/// <summary>
/// A security context (RFC 8613 section 3): the keys that are derived of its parameters, the numbers that were used, and those that came.
/// One serves both roles, and any number of endpoints of a process. Thread-safe.
/// </summary>
/// <remarks>
/// A number that is used twice under one key reveals what both messages say. So make a context of a secret that outlives the process by
/// <see cref="OpenAsync"/>, and only once at a time.
/// </remarks>
public sealed class OscoreContext : CoapSecurityContext, IAsyncDisposable
{
    private static readonly OscoreLimits s_defaults = new();

    // Flags, Partial IV, length of the kid context; header of the option; code, payload marker and an outer Observe.
    private const int OverheadBesideIds = 1 + OscoreOptionValue.MaxPartialIvLength + 1 + 2 + 1 + 1 + 5;

    // In the count of the peers that use it.
    private const int Retired = 1 << 30;

    // Null where no store knows the context.
    private readonly OscoreContextState? _state;
    private readonly OscoreIdentity _identity;
    private readonly int _exchangeOverhead;
    private int _isClosed;
    private int _uses;

    private OscoreContext(
        OscoreParameters parameters, OscoreKeys keys, OscoreContextState state, object? owner = null,
        OscoreKeyExchangeClient? exchange = null)
    {
        Parameters = parameters;
        Keys = keys;
        _state = state.IsStored ? state : null;
        Sequence = state.Sequence;
        Window = state.Window;
        _identity = new OscoreIdentity(this, owner);
        FirstRequest = exchange is null ? null : new OscoreFirstRequest(exchange);
        _exchangeOverhead = exchange?.Overhead ?? 0;
    }

    /// <summary>What the context was derived of.</summary>
    public OscoreParameters Parameters { get; }

    /// <summary>The principal: an <see cref="OscoreIdentity"/>.</summary>
    public override object Identity => _identity;

    /// <inheritdoc/>
    public override int Overhead =>
        OverheadBesideIds + Parameters.SenderId.Length + Parameters.IdContextBytes.Length + Parameters.Algorithm.TagLength
        + _exchangeOverhead + (Rederivation is null ? 0 : OscoreRederivation.Overhead);

    /// <summary>
    /// What is left of the longest plaintext of the algorithm: 65,535 bytes where its nonces have 13 bytes, as of AES-CCM-16-64-128.
    /// </summary>
    public override int MaxMessageSize => Parameters.Algorithm.MaxPlaintextLength - Overhead;

    internal OscoreKeys Keys { get; }

    /// <summary>The request that brings the last message of a key exchange; null without one.</summary>
    internal OscoreFirstRequest? FirstRequest { get; }

    /// <summary>Derives the keys of each run anew; null where those of the parameters are used.</summary>
    internal OscoreRederivation? Rederivation { get; init; }

    /// <summary>The numbers of this end.</summary>
    internal OscoreSequence Sequence { get; }

    /// <summary>The numbers of the other end.</summary>
    internal OscoreReplayWindow Window { get; }

    /// <summary>
    /// What a request brings back to show that it was made after this process had begun (RFC 8613 appendix B.1.2): 8 random bytes where
    /// the window was lost, none otherwise.
    /// </summary>
    internal byte[] Challenge { get; private set; } = [];

    /// <summary>
    /// Makes a context that begins at number 0 and is forgotten with the process. Right only for secrets that live no longer than the
    /// process, as those of EDHOC, and in tests: with a secret that was used before, all numbers are used again.
    /// </summary>
    /// <param name="parameters">The parameters. Their secret is not needed any more after that.</param>
    /// <param name="owner">Who the other end is for the application: <see cref="OscoreIdentity.Owner"/>; null where only the IDs are
    /// known.</param>
    /// <param name="exchange">The key exchange whose last message goes with the first request; null for none.</param>
    /// <returns>The context.</returns>
    /// <exception cref="PlatformNotSupportedException">The cryptography of the platform lacks the algorithm.</exception>
    public static OscoreContext CreateVolatile(
        OscoreParameters parameters, object? owner = null, OscoreKeyExchangeClient? exchange = null)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return new OscoreContext(parameters, new OscoreKeys(parameters), OscoreContextState.Volatile(parameters), owner, exchange);
    }

    /// <summary>
    /// Makes a context that derives new keys of the secret at each start, and when the other end has lost its own, so that no store is
    /// needed (RFC 8613 appendix B.2). Both ends must do so; it costs a round trip, needs good randomness at both ends, and observations do
    /// not outlive it. The parameters have no ID Context, as the run makes it.
    /// </summary>
    /// <param name="parameters">The parameters. Their secret is copied.</param>
    /// <param name="random">The randomness; null for that of the system.</param>
    /// <returns>The context.</returns>
    /// <exception cref="ArgumentException">The parameters have an ID Context.</exception>
    /// <exception cref="PlatformNotSupportedException">The cryptography of the platform lacks the algorithm.</exception>
    public static OscoreContext CreateRederived(OscoreParameters parameters, CoapRandomSource? random = null)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        return parameters.HasIdContext
            ? throw new ArgumentException(
                "A context that derives its keys anew makes its ID Context itself (RFC 8613 appendix B.2). Leave IdContext null.",
                nameof(parameters))
            : new OscoreContext(parameters, new OscoreKeys(parameters), OscoreContextState.Volatile(parameters))
            {
                Rederivation = new OscoreRederivation(parameters, random ?? CoapRandomSource.Secure),
            };
    }

    /// <summary>
    /// Makes a context whose numbers a store keeps, so that none is used again after a restart (RFC 8613 appendix B.1.1). Where the last
    /// process did not end in order, the replay window is lost, and the first request is answered with a challenge (appendix B.1.2).
    /// </summary>
    /// <param name="parameters">The parameters. Their secret is not needed any more after that.</param>
    /// <param name="store">Keeps the numbers.</param>
    /// <param name="scheduler">Has the threads that the store is called on; null for those of the library.</param>
    /// <param name="timeProvider">The clock; null for that of the system.</param>
    /// <param name="random">The randomness; null for that of the system.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>The context; dispose it when the process ends, so that the replay window is kept.</returns>
    /// <exception cref="OscoreStoreException">The store cannot tell where to go on. It is never taken for a new one.</exception>
    /// <exception cref="PlatformNotSupportedException">The cryptography of the platform lacks the algorithm.</exception>
    public static async ValueTask<OscoreContext> OpenAsync(
        OscoreParameters parameters, IOscoreStore store, CoapScheduler? scheduler = null, TimeProvider? timeProvider = null,
        CoapRandomSource? random = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        ArgumentNullException.ThrowIfNull(store);
        OscoreKeys keys = new(parameters);
        OscoreContextState state = await OscoreContextState.OpenAsync(
            parameters, store, scheduler ?? CoapScheduler.Default, timeProvider ?? TimeProvider.System, cancellationToken)
            .ConfigureAwait(false);
        OscoreContext context = new(parameters, keys, state);
        if (context.Window.State == OscoreReplayState.Lost)
        {
            context.Challenge = new byte[8];
            (random ?? CoapRandomSource.Secure).Fill(context.Challenge);
            await context.PrepareChallengeAsync(cancellationToken).ConfigureAwait(false);
        }

        return context;
    }

    /// <inheritdoc/>
    public override CoapProtectedPeer MakePeer(CoapProtection? protection)
    {
        OscoreProtection? own = protection as OscoreProtection;
        OscoreTelemetry? telemetry = own?.Telemetry;
        if (telemetry is not null)
        {
            Sequence.TellTo(telemetry, this);
        }

        return new OscorePeer(this, telemetry, (own?.Limits ?? s_defaults).MaxRequestsPerPeer);
    }

    /// <summary>
    /// Closes the context: nothing is sent or verified with it any more, its keys are wiped, and the store notes which numbers came.
    /// Repeating it does nothing.
    /// </summary>
    /// <returns>Ends when the store has noted it. What fails there is not told: the next process begins with a challenge then.</returns>
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
            // Without the note the window is lost, which costs a round trip and no safety.
        }
    }

    /// <summary>Gives out no more numbers, and wipes the keys.</summary>
    internal void Wipe()
    {
        Sequence.Close();
        Keys.Dispose();
    }

    /// <summary>Wipes the keys as soon as nothing is under way with any peer.</summary>
    internal void Retire()
    {
        if (Interlocked.Or(ref _uses, Retired) == 0)
        {
            Wipe();
        }
    }

    /// <summary>Something is under way with a peer, where nothing was.</summary>
    internal void Enter() => Interlocked.Increment(ref _uses);

    /// <summary>Nothing is under way with that peer any more.</summary>
    internal void Leave()
    {
        if (Interlocked.Decrement(ref _uses) == Retired)
        {
            Wipe();
        }
    }

    /// <summary>Sender, recipient and algorithm, without any secret.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"OSCORE {Parameters}";

    // A challenge needs a number, and is dropped where none is reserved, while its request counts as acknowledged.
    private async Task PrepareChallengeAsync(CancellationToken cancellationToken)
    {
        try
        {
            await Sequence.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OscoreStoreException or OscoreNumbersExhaustedException)
        {
            // Whoever sends is told; what can be received is.
        }
    }
}
