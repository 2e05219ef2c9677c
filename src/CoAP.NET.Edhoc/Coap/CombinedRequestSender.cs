using CoAP.NET.Oscore.Endpoints;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>Sends message_3 with the first request that its session protects (RFC 9668 section 3.2).</summary>
/// <param name="message3">The message.</param>
/// <param name="session">The session, which the first response confirms.</param>
internal sealed class CombinedRequestSender(byte[] message3, EdhocResult session) : OscoreKeyExchangeLastMessage
{
    /// <summary>
    /// Maximum length of message_3 in bytes. A longer one, as with certificates, would leave no room for the first block of a request, so
    /// the client sends it separately (section 3.2.2).
    /// </summary>
    public const int MaxMessage3 = 256;

    // The option is one byte, or two if the previous option has a much lower number.
    private const int OptionLength = 2;

    /// <inheritdoc/>
    public override int Overhead => message3.Length + OptionLength;

    /// <inheritdoc/>
    public override void AddTo(CoapMessage request)
    {
        request.Options.Add(OptionNumber.Edhoc, default);
        request.Payload = CombinedRequestPayload.Write(message3, request.Payload.Span);
    }

    /// <inheritdoc/>
    public override void OnConfirmed() => session.IsConfirmed = true;

    /// <inheritdoc/>
    public override CoapException? ErrorOf(CoapMessage answer)
    {
        if (answer.HasOptions && answer.Options.ContentFormat == CoapContentFormat.EdhocCborSequence)
        {
            try
            {
                return EdhocException.OfPeer(answer.Payload.Span);
            }
            catch (EdhocException exception)
            {
                return exception;
            }
        }

        return answer.Code == CoapCode.BadOption
            ? new EdhocException(
                "The server does not accept message_3 together with the first protected request (RFC 9668). Set "
                + $"{nameof(EdhocClientOptions)}.{nameof(EdhocClientOptions.CombinesFirstRequest)} to false and connect again.")
            : null;
    }
}
