namespace CoAP.NET;

// Answers that ask for an Echo.
public partial class CoapResult
{
    /// <summary>Whether an Echo value is put in when it is sent, made for the peer and the moment (RFC 9175 section 2.3).</summary>
    internal bool AsksForEcho { get; init; }
}
