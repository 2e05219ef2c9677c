using System.Globalization;
using CoAP.NET.Execution;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Captures;

/// <summary>Decrypts captured messages between the two ends of security contexts, in either direction, for troubleshooting.</summary>
/// <remarks>It checks no replays and changes no state. Not for endpoints. Not thread-safe.</remarks>
internal sealed class OscoreCaptureReader : IDisposable
{
    private const int MaxRequests = 65_536;

    // A registration and later requests of its observation use one token.
    private const int MaxForToken = 8;

    private readonly List<End> _ends = [];
    private readonly LruDictionary<(string, string, CoapToken), List<(End, OscoreRequestId)>> _requests = new(MaxRequests);

    /// <summary>Creates a reader.</summary>
    /// <param name="contexts">The contexts of one of the two ends. The caller may wipe their secrets afterwards.</param>
    /// <exception cref="PlatformNotSupportedException">The platform lacks an algorithm.</exception>
    public OscoreCaptureReader(IEnumerable<OscoreContextFileEntry> contexts)
    {
        ArgumentNullException.ThrowIfNull(contexts);
        foreach (OscoreContextFileEntry entry in contexts)
        {
            OscoreParameters own = entry.Parameters;
            using OscoreParameters other = new(own.MasterSecret, own.RecipientId.Span, own.SenderId.Span, own.Algorithm)
            {
                MasterSalt = own.MasterSalt,
                IdContext = own.HasIdContext ? own.IdContextBytes.ToArray() : null,
                Hkdf = own.Hkdf,
            };
            End first = new(entry.Name, OscoreContext.CreateVolatile(own));
            End second = new(entry.Name, OscoreContext.CreateVolatile(other)) { Other = first };
            first.Other = second;
            _ends.Add(first);
            _ends.Add(second);
        }
    }

    /// <summary>Decrypts a message.</summary>
    /// <param name="message">The captured message; not modified.</param>
    /// <param name="source">The sender, as any text that is the same each time, such as an address with port.</param>
    /// <param name="destination">The receiver, in the same form.</param>
    /// <param name="inner">The message as the ends see it; null if it is not protected or not decryptable.</param>
    /// <param name="remark">
    /// The context and number of a protected message, or why it is not decryptable; empty for an unprotected one.
    /// </param>
    /// <returns>True if it decrypted the message.</returns>
    /// <remarks>For a response, the reader must have processed its request earlier.</remarks>
    public bool TryRead(
        CoapMessage message,
        string source,
        string destination,
        [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out CoapMessage? inner,
        out string remark)
    {
        ArgumentNullException.ThrowIfNull(message);
        inner = null;
        remark = "";
        if (!message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> option))
        {
            return false;
        }

        if (!OscoreOptionValue.TryRead(option, out OscoreOptionValue value))
        {
            remark = "The OSCORE option is malformed (RFC 8613 section 6.1).";
            return false;
        }

        inner = message.Code.IsRequest
            ? ReadRequest(message, in value, (destination, source, message.Token), out remark)
            : ReadResponse(message, in value, (source, destination, message.Token), out remark);
        return inner is not null;
    }

    /// <summary>Wipes the keys.</summary>
    public void Dispose() => _ends.ForEach(static end => end.Context.Keys.Dispose());

    private CoapMessage? ReadRequest(
        CoapMessage message, scoped in OscoreOptionValue value, (string, string, CoapToken) answer, out string remark)
    {
        if (!value.HasKid || !value.HasPartialIv)
        {
            remark = "A request without kid or Partial IV is malformed (RFC 8613 section 5).";
            return null;
        }

        string kid = value.Kid.IsEmpty ? "(empty)" : Convert.ToHexStringLower(value.Kid);
        string number = string.Create(CultureInfo.InvariantCulture, $"kid {kid}, Partial IV {value.SequenceNumber}");
        bool isKnown = false;
        foreach (End end in _ends)
        {
            OscoreParameters parameters = end.Context.Parameters;
            if (!parameters.RecipientId.Span.SequenceEqual(value.Kid)
                || (value.HasKidContext && !(parameters.HasIdContext && parameters.IdContextBytes.SequenceEqual(value.KidContext))))
            {
                continue;
            }

            isKnown = true;
            if (OscoreMessageCipher.UnprotectRequest(end.Context, message, in value, out CoapMessage? inner) == OscoreFault.None)
            {
                Note(answer, end.Other, new OscoreRequestId(value.Kid.ToArray(), value.SequenceNumber));
                remark = $"OSCORE{end.NameText}: {number}";
                return inner;
            }
        }

        remark = isKnown
            ? $"OSCORE: {number}. It does not verify with the contexts that have this kid: they differ in secret, salt, ID Context or "
                + "algorithm, or the message was changed."
            : $"OSCORE: {number}. No context has this kid{(value.HasKidContext ? " and kid context" : "")}.";
        return null;
    }

    private CoapMessage? ReadResponse(
        CoapMessage message, scoped in OscoreOptionValue value, (string, string, CoapToken) key, out string remark)
    {
        if (!_requests.TryGetValue(key, out List<(End, OscoreRequestId)>? requests))
        {
            remark = "OSCORE: the request of this response is missing from the capture, so its context is unknown.";
            return null;
        }

        for (int i = requests.Count - 1; i >= 0; i--)
        {
            (End end, OscoreRequestId id) = requests[i];
            if (OscoreMessageCipher.UnprotectResponse(end.Context, message, in value, id, out CoapMessage? inner) == OscoreFault.None)
            {
                string number = value.HasPartialIv ? value.SequenceNumber.ToString(CultureInfo.InvariantCulture) : "that of the request";
                remark = string.Create(CultureInfo.InvariantCulture,
                    $"OSCORE{end.NameText}: Partial IV {number}, in answer to Partial IV {id.Number}");
                return inner;
            }
        }

        remark = "OSCORE: the response does not verify with the context of its request: a key of one end is wrong, or it was changed.";
        return null;
    }

    private void Note((string, string, CoapToken) key, End end, OscoreRequestId id)
    {
        if (!_requests.TryUse(key, out List<(End, OscoreRequestId)>? requests))
        {
            _requests.Set(key, requests = []);
        }
        else if (requests.Count == MaxForToken)
        {
            requests.RemoveAt(0);
        }

        requests.Add((end, id));
    }

    // One of the two ends, as the receiver.
    private sealed class End(string? name, OscoreContext context)
    {
        public OscoreContext Context => context;

        public End Other { get; set; } = null!;

        public string NameText => name is null ? "" : $" '{name}'";
    }
}
