namespace CoAP.NET.Tests.Shared;

/// <summary>Parts of URIs as texts, for tests that append a path or compare what is printed.</summary>
internal static class CoapUriExtensions
{
    /// <summary>Scheme, host and port of a URI without a path, such as <c>coap://127.0.0.1:61616</c>.</summary>
    public static string Origin(this CoapUri uri) => uri.ToString().TrimEnd('/');
}
