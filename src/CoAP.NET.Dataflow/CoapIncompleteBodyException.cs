namespace CoAP.NET;

/// <summary>Reading <see cref="CoapRequest.BodyReader"/> cannot go on: the peer began the body anew, sent too much, was silent for EXCHANGE_LIFETIME, or the endpoint stopped. A handler may let it pass; the peer has its answer already.</summary>
public sealed class CoapIncompleteBodyException : CoapException
{
    internal CoapIncompleteBodyException(string message)
        : base(message)
    {
    }
}
