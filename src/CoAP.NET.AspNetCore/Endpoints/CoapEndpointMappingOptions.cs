using System.Security.Claims;
using CoAP.NET.Http;
using CoAP.NET.Settings;
using Microsoft.AspNetCore.Builder;

namespace CoAP.NET.AspNetCore;

/// <summary>Options for serving endpoints of a web application over CoAP.</summary>
/// <remarks>The application reads them when it starts.</remarks>
[HasSettings]
public sealed partial class CoapEndpointMappingOptions
{
    /// <summary>The name of the CoAP server from <c>AddCoapServer</c>. Default empty: the server without a name.</summary>
    public partial string Server { get; set; } = string.Empty;

    /// <summary>
    /// Whether to serve all endpoints of the application over CoAP, except those with <c>WithoutCoap</c>. Default false: only those with
    /// <c>WithCoap</c>.
    /// </summary>
    /// <remarks>Middleware that protects an endpoint over HTTP does not run for CoAP; the endpoints are therefore opt-in.</remarks>
    public partial bool AllEndpoints { get; set; }

    /// <summary>The tables of methods, codes and media types.</summary>
    /// <remarks>
    /// They differ from their defaults: FETCH maps to the methods <c>FETCH</c> and <c>QUERY</c>, HEAD maps to no CoAP method, and
    /// <see cref="CoapHttpTranslator.ConvertsJson"/> converts. A handler with JSON accepts requests in CBOR; its response is CBOR for
    /// clients that send CBOR or ask for it with Accept. Bodies are not converted for endpoints with <c>Accepts</c> of a CBOR media type.
    /// </remarks>
    public CoapHttpTranslator Translator { get; } = MakeTranslator();

    /// <summary>The largest response body, in bytes.</summary>
    /// <remarks>A handler that writes more is aborted, and the client gets 5.00.</remarks>
    [NumberRange(1, IsBytes = true)]
    public partial int MaxResponseSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// The maximum time of a handler. <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no limit. Default 90 s, about as long as
    /// clients wait.
    /// </summary>
    /// <remarks>
    /// After this time <c>HttpContext.RequestAborted</c> is canceled; the client gets 5.03 when the handler has ended. A
    /// <c>RequestTimeout</c> of an endpoint takes precedence.
    /// </remarks>
    [TimeRange(0, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(90);

    /// <summary>
    /// Returns the user of a request: the value of <c>HttpContext.User</c> that policies check; null for an anonymous user.
    /// </summary>
    /// <remarks>
    /// Default null: the user follows from the identity that the transport has authenticated, see <see cref="CoapAuthenticationDefaults"/>.
    /// <c>IClaimsTransformation</c> of the application runs afterwards, as for HTTP users.
    /// </remarks>
    public partial Func<CoapRequestContext, ClaimsPrincipal?>? Identity { get; set; }

    /// <summary>Adds middleware between CoAP requests and endpoints, such as <c>pipeline => pipeline.UseRateLimiter()</c>.</summary>
    /// <remarks>
    /// It runs after the endpoint is selected and authorized. Default none: the middleware of the application is for HTTP and does not run
    /// for CoAP.
    /// </remarks>
    public partial Action<IApplicationBuilder>? Pipeline { get; set; }

    private static CoapHttpTranslator MakeTranslator()
    {
        CoapHttpTranslator translator = new();
        translator.Codes.CoapMethods.Remove("HEAD");
        translator.Codes.CoapMethods["QUERY"] = CoapMethod.Fetch;
        translator.Codes.HttpMethods[CoapMethod.Fetch] = "FETCH";
        translator.Json.Converts = true;
        return translator;
    }
}
