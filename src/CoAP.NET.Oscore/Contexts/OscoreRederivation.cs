using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Options;

namespace CoAP.NET.Oscore;

/// <summary>
/// New keys from the old secret at each start (RFC 8613 appendix B.2), in both roles: of one secret a context is derived for each run, with
/// an ID Context to which both ends add randomness. Nothing is kept for runs that did not come to their end. Thread-safe.
/// </summary>
internal sealed class OscoreRederivation : IDisposable
{
    /// <summary>The longest ID Context that is taken, in bytes.</summary>
    public const int MaxIdContextLength = 64;

    /// <summary>What the ID Context of a run takes in the option, at most.</summary>
    public const int Overhead = 2 + MaxIdContextLength;

    private const int RandomLength = 8;
    private const int MacLength = 8;

    private readonly OscoreParameters _parameters;
    private readonly CoapRandomSource _random;
    private readonly Lock _gate = new();
    private readonly byte[] _macKey = new byte[32];
    private OscoreContext? _current;
    private bool _isConfirmed;

    /// <param name="parameters">The secret and the IDs; copied.</param>
    /// <param name="random">The randomness.</param>
    public OscoreRederivation(OscoreParameters parameters, CoapRandomSource random)
    {
        _parameters = CopyOf(parameters, null);
        _random = random;
        Marker = new byte[RandomLength];
        _random.Fill(Marker);
        _random.Fill(_macKey);
    }

    /// <summary>
    /// The Echo by which a request of ours is sent again with new keys. It never leaves this end.
    /// </summary>
    public byte[] Marker { get; }

    /// <summary>The context of the run; null where there is none yet.</summary>
    public OscoreContext? Current
    {
        get
        {
            lock (_gate)
            {
                return _current;
            }
        }
    }

    /// <summary>The context for a request of ours; begins a run where there is none.</summary>
    /// <param name="isConfirmed">Whether the peer has shown that it has the keys. Until then the ID Context stands in a byte string of
    /// CBOR.</param>
    public OscoreContext ForRequest(out bool isConfirmed)
    {
        lock (_gate)
        {
            isConfirmed = _isConfirmed;
            return _current ??= Derive(NewRandom());
        }
    }

    /// <summary>The request as it is sent: without what has it sent again.</summary>
    /// <param name="request">The request; not changed.</param>
    public CoapMessage WithoutMarker(CoapMessage request)
    {
        if (!request.HasOptions
            || !request.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo)
            || !echo.SequenceEqual(Marker))
        {
            return request;
        }

        CoapMessage without = request.Clone();
        without.Options.Remove(OptionNumber.Echo);
        return without;
    }

    /// <summary>A response with the keys of a context was verified.</summary>
    public void Confirm(OscoreContext context)
    {
        lock (_gate)
        {
            _isConfirmed |= ReferenceEquals(_current, context);
        }
    }

    /// <summary>
    /// Takes the first response of a run: the other end's part of the ID Context stands in it. Its keys are of both parts, its nonce of the
    /// request.
    /// </summary>
    /// <param name="asked">The context of the request.</param>
    /// <param name="id">The request.</param>
    /// <param name="message">The response.</param>
    /// <param name="value">Its option.</param>
    /// <param name="response">A 4.01 by which the request is sent again.</param>
    /// <returns>Whether it was one.</returns>
    public bool TryTakeResponse(
        OscoreContext asked, OscoreRequestId id, CoapMessage message, scoped in OscoreOptionValue value,
        [NotNullWhen(true)] out CoapMessage? response)
    {
        response = null;
        if (!CborHead.TryReadBytes(value.KidContext, out ReadOnlySpan<byte> theirs)
            || theirs.Length < RandomLength
            || theirs.Length + RandomLength > MaxIdContextLength)
        {
            return false;
        }

        OscoreContext both = Derive([.. theirs, .. asked.Parameters.IdContextBytes]);
        OscoreFault fault = OscoreCodec.UnprotectRederivation(both, asked, message, id, out CoapMessage? read);
        both.Wipe();
        if (fault != OscoreFault.None || read!.Code != CoapCode.Unauthorized)
        {
            return false;
        }

        lock (_gate)
        {
            if (ReferenceEquals(_current, asked))
            {
                _current = Derive([.. theirs, .. NewRandom()]);
                _isConfirmed = false;
                WipeKeys(asked);
            }
        }

        response = read;
        response.Options.Remove(OptionNumber.Echo);
        response.Options.Add(OptionNumber.Echo, Marker);
        return true;
    }

    /// <summary>The context of the run that a request names; null where it names none, or another one.</summary>
    /// <param name="value">The option of the request.</param>
    public OscoreContext? Find(scoped in OscoreOptionValue value) =>
        Current is { } current
        && (!value.HasKidContext || current.Parameters.IdContextBytes.SequenceEqual(IdContextOf(in value)))
            ? current
            : null;

    /// <summary>
    /// Verifies a request that is not of the run that stands: the first or the second one of another run. It may be anybody's, and costs
    /// the derivation of its keys.
    /// </summary>
    /// <param name="message">The request.</param>
    /// <param name="value">Its option.</param>
    /// <param name="context">The context of the run that begins with it; null where there is none.</param>
    /// <param name="answer">The first response of a run, protected; null where none is due.</param>
    /// <returns>What is wrong with it; <see cref="OscoreFault.None"/> when nothing is.</returns>
    public OscoreFault Begin(CoapMessage message, scoped in OscoreOptionValue value, out OscoreContext? context, out CoapMessage? answer)
    {
        (context, answer) = (null, null);
        ReadOnlySpan<byte> idContext = IdContextOf(in value);
        if (idContext.Length is < RandomLength or > MaxIdContextLength)
        {
            return OscoreFault.UnknownContext;
        }

        OscoreContext derived = Derive(idContext);
        OscoreFault fault = OscoreCodec.UnprotectRequest(derived, message, in value, out _);
        if (fault == OscoreFault.None && TryAdopt(derived, idContext))
        {
            context = derived;
            return OscoreFault.None;
        }

        if (fault == OscoreFault.None && idContext.Length + RandomLength + MacLength <= MaxIdContextLength)
        {
            answer = Challenge(derived, message, in value);
        }

        derived.Wipe();
        return fault == OscoreFault.None && answer is null ? OscoreFault.UnknownContext : fault;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _current?.Wipe();
            _current = null;
            CryptographicOperations.ZeroMemory(_macKey);
            _parameters.Dispose();
        }
    }

    // In a byte string of CBOR while a run begins.
    private static ReadOnlySpan<byte> IdContextOf(scoped in OscoreOptionValue value) =>
        CborHead.TryReadBytes(value.KidContext, out ReadOnlySpan<byte> wrapped) ? wrapped : value.KidContext;

    private static OscoreParameters CopyOf(OscoreParameters parameters, byte[]? idContext) =>
        new(parameters.MasterSecret, parameters.SenderId.Span, parameters.RecipientId.Span, parameters.Algorithm)
        {
            MasterSalt = parameters.MasterSalt,
            IdContext = idContext,
            Hkdf = parameters.Hkdf,
            WindowSize = parameters.WindowSize,
        };

    // Whether our part of the ID Context is one that was given out since the last run ended: each is good for one run.
    private bool TryAdopt(OscoreContext derived, ReadOnlySpan<byte> idContext)
    {
        if (idContext.Length < RandomLength + MacLength + RandomLength)
        {
            return false;
        }

        Span<byte> mac = stackalloc byte[32];
        lock (_gate)
        {
            HMACSHA256.HashData(_macKey, idContext[..RandomLength], mac);
            if (!CryptographicOperations.FixedTimeEquals(mac[..MacLength], idContext.Slice(RandomLength, MacLength)))
            {
                return false;
            }

            _random.Fill(_macKey);
            if (_current is { } before)
            {
                WipeKeys(before);
            }

            _current = derived;
            _isConfirmed = true;
            return true;
        }
    }

    // Whoever still has a message of the old run under way has no use for the answer: the other end has lost those keys, or gave them up.
    private static void WipeKeys(OscoreContext replaced)
    {
        replaced.Sequence.Close();
        replaced.Keys.Wipe();
    }

    private CoapMessage Challenge(OscoreContext first, CoapMessage message, scoped in OscoreOptionValue value)
    {
        byte[] ours = new byte[RandomLength + MacLength];
        lock (_gate)
        {
            _random.Fill(ours.AsSpan(0, RandomLength));
            HMACSHA256.HashData(_macKey, ours.AsSpan(0, RandomLength)).AsSpan(0, MacLength).CopyTo(ours.AsSpan(RandomLength));
        }

        OscoreContext both = Derive([.. ours, .. first.Parameters.IdContextBytes]);
        OscoreRequestId id = new(value.Kid.ToArray(), value.SequenceNumber);
        CoapMessage challenge = new(CoapCode.Unauthorized, message.Options.Registry) { Token = message.Token };
        challenge = OscoreCodec.ProtectRederivation(both, first, challenge, id, ours);
        both.Wipe();
        return challenge;
    }

    private byte[] NewRandom()
    {
        byte[] bytes = new byte[RandomLength];
        _random.Fill(bytes);
        return bytes;
    }

    private OscoreContext Derive(ReadOnlySpan<byte> idContext)
    {
        using OscoreParameters parameters = CopyOf(_parameters, idContext.ToArray());
        return OscoreContext.CreateVolatile(parameters);
    }
}
