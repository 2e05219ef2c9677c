namespace CoAP.NET.Cli.Output;

/// <summary>Codes for people.</summary>
internal static class CodeText
{
    /// <summary>The name of a method, such as <c>GET</c>; number and name of any other code, such as <c>2.05 Content</c>.</summary>
    public static string Of(CoapCode code) => code.IsRequest && code.Name is { } name ? name : code.ToString();
}
