namespace CoAP.NET.Load;

/// <summary>The short names under which failures of an observing run are counted.</summary>
internal static class ErrorKind
{
    public const string OutOfOrder = "out of order";

    public const string WrongPayload = "wrong payload";

    /// <summary>Of a failure: a response's code such as "4.04", "no answer", or the name of the exception.</summary>
    public static string Of(Exception exception) => exception switch
    {
        CoapResponseException { Response: { } response } => Of(response.Code),
        CoapTimeoutException => "no answer",
        _ => exception.GetType().Name,
    };

    public static string Of(CoapCode code) => $"{code.Class}.{code.Detail:00}";
}
