namespace CoAP.NET;

// The same request to somewhere else, for code that sends what others made.
public sealed partial class CoapRequest
{
    /// <summary>
    /// A copy of this request to send, to a URI. What is changed of one is not changed of the other; streams, such as <see cref="Destination"/>, are shared.
    /// </summary>
    /// <param name="uri">The absolute URI.</param>
    /// <returns>The copy.</returns>
    /// <exception cref="InvalidOperationException">The request was received, not made to be sent.</exception>
    public CoapRequest WithUri(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (Channel is not null)
        {
            throw new InvalidOperationException("A received request is answered, not sent on. Make a new one of what is to go on.");
        }

        CoapMessage message = new(Message.Code) { Payload = Message.Payload };
        if (Message.HasOptions)
        {
            message.Options.AddAll(Message.Options);
        }

        CoapRequest copy = new(message) { _origin = uri, Confirmable = Confirmable, CacheMode = CacheMode };
        if (_more is { } more)
        {
            // Content is not set by its property: that would set payload and Content-Format again, which may have been changed since.
            copy._more = new RequestMore { Content = more.Content, LocalAddress = more.LocalAddress, Transfer = more.Transfer?.Clone() };
        }

        return copy;
    }
}
