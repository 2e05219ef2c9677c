namespace CoAP.NET.Hosting;

/// <summary>How errors are described by <see cref="CoapProblemExtensions.UseProblemDetails"/>.</summary>
public sealed class CoapProblemOptions
{
    /// <summary>
    /// Whether answers to exceptions that no handler caught say type and message of the exception. Default null: where the host's
    /// environment is Development, and nowhere else. The stack goes to the log only.
    /// </summary>
    public bool? IncludeExceptions { get; set; }

    /// <summary>
    /// Changes or replaces the problem details of an answer before they are sent, such as to add entries; gives null to send the answer
    /// without. Default null: nothing does. The exception is null where a handler or the server answered an error.
    /// </summary>
    public Func<CoapRequest, CoapProblem, Exception?, CoapProblem?>? Customize { get; set; }
}
