using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>Options of <see cref="CoapRouteConventionsExtensions.WithProblemDetails"/>.</summary>
[HasSettings]
public sealed partial class CoapProblemOptions
{
    /// <summary>Whether answers to unhandled exceptions contain type and message of the exception.</summary>
    /// <remarks>Default null: only if the host's environment is Development. The stack goes only to the log.</remarks>
    public partial bool? IncludeExceptions { get; set; }

    /// <summary>
    /// Changes or replaces the problem details of an answer, for example to add entries; returns null to send the answer without them.
    /// </summary>
    /// <remarks>The exception is null if a handler or the server returned an error. Default null: no change.</remarks>
    public partial Func<CoapRequestContext, CoapProblem, Exception?, CoapProblem?>? Customize { get; set; }
}
