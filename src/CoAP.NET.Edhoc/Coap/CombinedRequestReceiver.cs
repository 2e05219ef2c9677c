using System.Security.Cryptography;
using CoAP.NET.Execution;
using CoAP.NET.Oscore.Endpoints;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// Removes message_3 from requests with the EDHOC option, and leaves the ciphertext to OSCORE (RFC 9668 section 3.3). Thread-safe.
/// </summary>
internal sealed class CombinedRequestReceiver(EdhocServer server) : OscoreCombinedRequestServer
{
    // The number of messages of ended sessions whose copies are known.
    private const int MaxProcessed = 1024;

    private readonly Lock _gate = new();
    private readonly LruDictionary<string, bool> _processed = new(MaxProcessed, StringComparer.Ordinal);

    /// <inheritdoc/>
    public override bool IsIn(CoapMessage request) => request.Options.Contains(OptionNumber.Edhoc);

    /// <inheritdoc/>
    public override async ValueTask<OscoreKeyExchangeServerResult> FinishAsync(
        CoapChannel channel, CoapMessage request, ReadOnlyMemory<byte> kid)
    {
        CoapPeer peer = CoapPeer.Of(channel);
        try
        {
            ReadOnlyMemory<byte> message3 = CombinedRequestPayload.Read(request.Payload, out ReadOnlyMemory<byte> ciphertext);

            // A client without a response sends the same message_3 with its next request. The server does not process it again.
            string digest = Convert.ToHexString(SHA256.HashData([(byte)kid.Length, .. kid.Span, .. message3.Span]));
            if (!WasProcessed(digest))
            {
                await server.EstablishAsync(peer, kid.ToArray(), message3).ConfigureAwait(false);
                lock (_gate)
                {
                    _processed.Set(digest, true);
                }
            }

            return OscoreKeyExchangeServerResult.Finished(Rest(request, ciphertext));
        }
        catch (EdhocException exception)
        {
            server.OnFailed(peer, exception);
            return Refused(CoapCode.BadRequest, exception.IsOfPeer ? "The Initiator ended the session." : exception.Message);
        }
#pragma warning disable CA1031 // an exception of the application is not an error of the client
        catch (Exception exception)
#pragma warning restore CA1031
        {
            server.OnApplicationFailed(peer, exception);
            return Refused(CoapCode.InternalServerError, "The server failed.");
        }
    }

    private bool WasProcessed(string digest)
    {
        lock (_gate)
        {
            return _processed.TryGetValue(digest, out _);
        }
    }

    // Section 3.3.1: all errors have the code 1.
    private static OscoreKeyExchangeServerResult Refused(CoapCode code, string text)
    {
        CoapMessage answer = new(code) { Payload = new EdhocException(text).ToMessage() };
        answer.Options.ContentFormat = CoapContentFormat.EdhocCborSequence;
        return OscoreKeyExchangeServerResult.Refused(answer);
    }

    // Section 3.3.1, step 7.
    private static CoapMessage Rest(CoapMessage request, ReadOnlyMemory<byte> ciphertext)
    {
        CoapOptionCollection options = request.Options;
        CoapMessage rest = new(request.Code, options.Registry)
        {
            Type = request.Type,
            MessageId = request.MessageId,
            Token = request.Token,
            Payload = ciphertext,
        };
        for (int i = 0; i < options.Count; i++)
        {
            if (options.NumberAt(i) is var number && number != OptionNumber.Edhoc)
            {
                rest.Options.Add(number, options.ValueAt(i));
            }
        }

        return rest;
    }
}
