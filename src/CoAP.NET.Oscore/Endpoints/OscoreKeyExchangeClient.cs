namespace CoAP.NET.Oscore;

/// <summary>
/// The client's side of a key exchange whose last message goes together with the first protected request, as message_3 of EDHOC does (RFC
/// 9668 section 3). Of the requests that its <see cref="OscoreContext"/> protects the first one brings it, and the others wait until the
/// response to that one was verified. When none came, each request brings it again. Thread-safe.
/// </summary>
public abstract class OscoreKeyExchangeClient
{
    /// <summary>By how many bytes <see cref="AddTo"/> makes a request larger, at most. Bodies are cut accordingly.</summary>
    public abstract int Overhead { get; }

    /// <summary>
    /// Whether requests bring the message. False where it was sent before: then no request waits for another one, <see cref="AddTo"/> is
    /// not called, and only <see cref="OnConfirmed"/> tells that the server has the keys. True by default.
    /// </summary>
    public virtual bool BringsMessage => true;

    /// <summary>Adds the last message of the key exchange to a request. May be called under a lock of the library, so it must be quick and
    /// call nobody.</summary>
    /// <param name="request">The request as OSCORE protected it, which is changed.</param>
    public abstract void AddTo(CoapMessage request);

    /// <summary>The first message of the peer was verified, so it has the keys. Called without any lock; it must be quick. The default does
    /// nothing.</summary>
    public virtual void OnConfirmed()
    {
    }

    /// <summary>Says why the request with the last message was answered without protection.</summary>
    /// <param name="answer">The answer, which nobody has verified.</param>
    /// <returns>What the request fails with; null, as the default, for a <see cref="CoapOscoreException"/>.</returns>
    public virtual CoapException? ErrorOf(CoapMessage answer) => null;
}
