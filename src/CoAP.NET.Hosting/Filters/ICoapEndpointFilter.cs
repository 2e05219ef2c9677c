namespace CoAP.NET.Hosting;

/// <summary>
/// A filter that is a class with services: it sees a request before its handler and the answer after it. Add it with
/// <c>AddFilter&lt;TFilter&gt;()</c>. Registered as a scoped service it is made for each request, as a singleton once.
/// </summary>
public interface ICoapEndpointFilter
{
    /// <summary>Serves a request: hands it on by calling <paramref name="next"/>, once, or answers itself.</summary>
    /// <param name="context">The request and its services.</param>
    /// <param name="next">The rest of the way to the handler.</param>
    /// <returns>The answer. A result may be kept and given to many requests, so make a new one rather than change what
    /// <paramref name="next"/> gave.</returns>
    ValueTask<CoapResult> InvokeAsync(CoapFilterContext context, CoapHandler next);
}
