using System.Security.Claims;
using CoAP.NET.Http;
using Microsoft.AspNetCore.Builder;

namespace CoAP.NET.AspNetCore;

/// <summary>How endpoints of a web application are served over CoAP. Read when the application starts.</summary>
public sealed class CoapEndpointMappingOptions
{
    private static readonly TimeSpan s_defaultTimeout = TimeSpan.FromSeconds(90);

    /// <summary>The name of the CoAP server of <c>AddCoapServer</c>. Default empty: the one without a name.</summary>
    public string Server { get; set; } = string.Empty;

    /// <summary>
    /// Whether all endpoints of the application are served over CoAP but those that say <c>WithoutCoap</c>. Default false: those that say
    /// <c>WithCoap</c>, since middleware that protects an endpoint over HTTP does not run for CoAP.
    /// </summary>
    public bool AllEndpoints { get; set; }

    /// <summary>
    /// The tables of methods, codes and media types. Different from their default: FETCH is for endpoints of the methods <c>FETCH</c> and
    /// <c>QUERY</c>, HEAD is none of CoAP, and <see cref="CoapHttpTranslator.Json"/> converts: a handler that speaks JSON is asked in CBOR,
    /// and answers in CBOR who asks so or wants it by Accept. Bodies stay as they are for endpoints that say <c>Accepts</c> of a media type
    /// of CBOR.
    /// </summary>
    public CoapHttpTranslator Translator { get; } = MakeTranslator();

    /// <summary>The largest response body, in bytes: a handler that writes more is stopped, and answered 5.00. 1 or more; default 1
    /// MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxResponseSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = 1024 * 1024;

    /// <summary>
    /// How long a handler may take. Then <c>HttpContext.RequestAborted</c> is cancelled, and when the handler has ended, the client is
    /// answered 5.03. A <c>RequestTimeout</c> of an endpoint goes before it. <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> for no
    /// limit. Default 90 s, about as long as clients wait.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
    public TimeSpan Timeout
    {
        get;
        set
        {
            if (value != System.Threading.Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            }

            field = value;
        }
    } = s_defaultTimeout;

    /// <summary>
    /// Says who the client is: what <c>HttpContext.User</c> is and policies decide by; null for nobody. Default null: by the identity that
    /// the transport has proven, see <see cref="CoapAuthenticationDefaults"/>. <c>IClaimsTransformation</c> of the application is asked
    /// afterwards, as it is for users of HTTP.
    /// </summary>
    public Func<CoapRequest, ClaimsPrincipal?>? Identity { get; set; }

    /// <summary>
    /// Middleware between CoAP requests and endpoints, such as <c>pipeline => pipeline.UseRateLimiter()</c>. It sees requests whose
    /// endpoint was found and who is authorized. Default none: the middleware of the application is for HTTP and does not run for CoAP.
    /// </summary>
    public Action<IApplicationBuilder>? Pipeline { get; set; }

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
