using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Contexts;

/// <summary>
/// Derives new keys from the same secret at each start (RFC 8613 appendix B.2), in both roles: a context per run, with an ID Context to
/// which both ends contribute randomness. It keeps no state for incomplete runs. Thread-safe.
/// </summary>
internal sealed class OscoreRederivation : IDisposable
{
    /// <summary>Maximum length of an accepted ID Context in bytes.</summary>
    public const int MaxIdContextLength = 64;

    /// <summary>Maximum bytes of a run's ID Context in the option.</summary>
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
    /// <param name="random">The source of randomness.</param>
    public OscoreRederivation(OscoreParameters parameters, CoapRandomSource random)
    {
        _parameters = CopyOf(parameters, null);
        _random = random;
        Marker = new byte[RandomLength];
        _random.Fill(Marker);
        _random.Fill(_macKey);
    }

    /// <summary>The Echo that triggers the repetition of a request of ours with new keys. It never leaves this end.</summary>
    public byte[] Marker { get; }

    /// <summary>The context of the current run; null if there is none.</summary>
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

    /// <summary>Returns the context for a request of ours, and begins a run if necessary.</summary>
    /// <param name="isConfirmed">
    /// Whether the peer has proved that it has the keys. Until then the ID Context is wrapped in a CBOR byte string.
    /// </param>
    public OscoreContext ForRequest(out bool isConfirmed)
    {
        lock (_gate)
        {
            isConfirmed = _isConfirmed;
            return _current ??= Derive(NewRandom());
        }
    }

    /// <summary>Returns the request to send, without the marker of the repetition.</summary>
    /// <param name="request">The request; not modified.</param>
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

    /// <summary>Handles a verified response with the keys of a context.</summary>
    public void Confirm(OscoreContext context)
    {
        lock (_gate)
        {
            _isConfirmed |= ReferenceEquals(_current, context);
        }
    }

    /// <summary>
    /// Processes the first response of a run, which contains the other end's part of the ID Context. Its keys derive from both parts; its
    /// nonce is that of the request.
    /// </summary>
    /// <param name="asked">The context of the request.</param>
    /// <param name="id">The request.</param>
    /// <param name="message">The response.</param>
    /// <param name="value">Its option.</param>
    /// <param name="response">A 4.01 that triggers the repetition of the request.</param>
    /// <returns>Whether the message was such a response.</returns>
    public bool TryTakeResponse(
        OscoreContext asked, OscoreRequestId id, CoapMessage message, scoped in OscoreOptionValue value,
        [NotNullWhen(true)] out CoapMessage? response)
    {
        response = null;
        if (!OscoreCborEncoding.TryReadBytes(value.KidContext, out ReadOnlySpan<byte> theirs)
            || theirs.Length < RandomLength
            || theirs.Length + RandomLength > MaxIdContextLength)
        {
            return false;
        }

        OscoreContext both = Derive([.. theirs, .. asked.Parameters.IdContextBytes]);
        OscoreFault fault = OscoreMessageCipher.UnprotectRederivation(both, asked, message, id, out CoapMessage? read);
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

    /// <summary>Returns the context of the run that a request names; null if it names none, or another one.</summary>
    public OscoreContext? Find(scoped in OscoreOptionValue value) =>
        Current is { } current
        && (!value.HasKidContext || current.Parameters.IdContextBytes.SequenceEqual(IdContextOf(in value)))
            ? current
            : null;

    /// <summary>
    /// Verifies a request that does not belong to the current run: the first or the second one of another run. Any sender can cause the
    /// derivation of its keys.
    /// </summary>
    /// <param name="message">The request.</param>
    /// <param name="value">Its option.</param>
    /// <param name="context">The context of the new run; null if there is none.</param>
    /// <param name="answer">The first response of a run, protected; null if none is due.</param>
    /// <returns>The fault; <see cref="OscoreFault.None"/> if there is none.</returns>
    public OscoreFault Begin(CoapMessage message, scoped in OscoreOptionValue value, out OscoreContext? context, out CoapMessage? answer)
    {
        (context, answer) = (null, null);
        ReadOnlySpan<byte> idContext = IdContextOf(in value);
        if (idContext.Length is < RandomLength or > MaxIdContextLength)
        {
            return OscoreFault.UnknownContext;
        }

        OscoreContext derived = Derive(idContext);
        OscoreFault fault = OscoreMessageCipher.UnprotectRequest(derived, message, in value, out _);
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

    // Wrapped in a CBOR byte string while a run begins.
    private static ReadOnlySpan<byte> IdContextOf(scoped in OscoreOptionValue value) =>
        OscoreCborEncoding.TryReadBytes(value.KidContext, out ReadOnlySpan<byte> wrapped) ? wrapped : value.KidContext;

    private static OscoreParameters CopyOf(OscoreParameters parameters, byte[]? idContext) =>
        new(parameters.MasterSecret, parameters.SenderId.Span, parameters.RecipientId.Span, parameters.Algorithm)
        {
            MasterSalt = parameters.MasterSalt,
            IdContext = idContext,
            Hkdf = parameters.Hkdf,
            WindowSize = parameters.WindowSize,
        };

    // Whether our part of the ID Context is one issued since the last run ended: each is valid for one run.
    private bool TryAdopt(OscoreContext derived, ReadOnlySpan<byte> idContext)
    {
        if (idContext.Length < RandomLength + MacLength + RandomLength)
        {
            return false;
        }

        Span<byte> mac = stackalloc byte[Sha256.HashLength];
        lock (_gate)
        {
            HmacSha256.HashData(_macKey, idContext[..RandomLength], mac);
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

    // A pending message of the old run can use no answer: the other end has lost those keys, or discarded them.
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
            Span<byte> mac = stackalloc byte[Sha256.HashLength];
            HmacSha256.HashData(_macKey, ours.AsSpan(0, RandomLength), mac);
            mac[..MacLength].CopyTo(ours.AsSpan(RandomLength));
        }

        OscoreContext both = Derive([.. ours, .. first.Parameters.IdContextBytes]);
        OscoreRequestId id = new(value.Kid.ToArray(), value.SequenceNumber);
        CoapMessage challenge = new(CoapCode.Unauthorized, message.Options.Registry) { Token = message.Token };
        challenge = OscoreMessageCipher.ProtectRederivation(both, first, challenge, id, ours);
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

        // The ID Context changes with each run, and the peer stays the same.
        return OscoreContext.CreateVolatile(parameters, OscoreIdentity.OfIds(_parameters));
    }
}
