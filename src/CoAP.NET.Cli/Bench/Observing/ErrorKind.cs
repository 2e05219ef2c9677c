using System.Globalization;

namespace CoAP.NET.Cli.Bench;

/// <summary>The short names of counted failures.</summary>
internal static class ErrorKind
{
    // Cached: a server that answers only errors does so as fast as any.
    private static readonly string[] s_codes = [
        .. Enumerable.Range(0, 256).Select(static code => string.Create(CultureInfo.InvariantCulture, $"{code >> 5}.{code & 31:00}"))];

    public const string OutOfOrder = "out of order";

    public const string WrongPayload = "wrong payload";

    /// <summary>Returns the kind of a failure: a response's code such as "4.04", "no answer", or the name of the exception.</summary>
    public static string Of(Exception exception) => exception switch
    {
        CoapResponseException { Response: { } response } => Of(response.Code),
        CoapTimeoutException => "no answer",
        _ => exception.GetType().Name,
    };

    /// <summary>Returns the kind of a code: "5.03".</summary>
    public static string Of(CoapCode code) => s_codes[code.Value];
}
