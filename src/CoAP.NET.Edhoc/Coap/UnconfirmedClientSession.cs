using CoAP.NET.Oscore.Endpoints;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>A session whose peer proves with its first OSCORE message that it has the same keys (RFC 9528 section 5.4.2).</summary>
internal sealed class UnconfirmedClientSession(EdhocResult session) : OscoreKeyExchangeLastMessage
{
    /// <inheritdoc/>
    public override int Overhead => 0;

    /// <inheritdoc/>
    public override bool BringsMessage => false;

    /// <inheritdoc/>
    public override void AddTo(CoapMessage request)
    {
    }

    /// <inheritdoc/>
    public override void OnConfirmed() => session.IsConfirmed = true;
}
