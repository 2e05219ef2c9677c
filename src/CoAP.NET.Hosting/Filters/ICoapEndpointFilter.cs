namespace CoAP.NET.Hosting;

/// <summary>A filter class with services: it receives a request before its handler and the response after it.</summary>
/// <remarks>
/// Add it with <c>AddFilter&lt;TFilter&gt;()</c>. A scoped service has one instance per request, a singleton one in total.
/// </remarks>
public interface ICoapEndpointFilter
{
    /// <summary>Serves a request: passes it on by calling <paramref name="next"/>, once, or answers itself.</summary>
    /// <param name="context">The request and its services.</param>
    /// <param name="next">The next filter or the handler.</param>
    /// <returns>
    /// The answer. Several requests may share a result, so create a new one and do not modify the result of <paramref name="next"/>.
    /// </returns>
    ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next);
}
