using CoAP.NET.Http;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.Routing.Template;
using Microsoft.Net.Http.Headers;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>An endpoint of a web application that is served over CoAP.</summary>
internal sealed class ServedEndpoint
{
    private readonly TemplateMatcher _matcher;
    private readonly (string Name, IRouteConstraint Constraint)[] _constraints;
    private readonly MediaTypeHeaderValue[]? _accepted;
    private readonly Dictionary<CoapMethod, string> _methods;
    private readonly bool _readsJson;
    private readonly bool _readsJsonScalar;
    private int _isTold;

    public ServedEndpoint(RouteEndpoint endpoint, ParameterPolicyFactory policies, EndpointAuthorization authorization, TimeSpan timeout,
        CoapHttpCodes codes)
    {
        RoutePattern pattern = endpoint.RoutePattern;
        Endpoint = endpoint;
        Authorization = authorization;
        Timeout = timeout;
        Shapes = EndpointRouteTemplate.Of(pattern);
        _matcher = new TemplateMatcher(new RouteTemplate(pattern), new RouteValueDictionary(pattern.Defaults));
        _constraints =
        [
            .. from policy in pattern.ParameterPolicies
               from reference in policy.Value
               let made = policies.Create(pattern.GetParameter(policy.Key), reference) as IRouteConstraint
               where made is not null
               select (policy.Key, made),
        ];
        _accepted = endpoint.Metadata.GetMetadata<IAcceptsMetadata>()?.ContentTypes is { Count: > 0 } types
            ? [.. types.Select(static type => MediaTypeHeaderValue.Parse(type))] : null;
        _readsJson = EndpointInputs.ReadsJson(endpoint);
        _readsJsonScalar = EndpointInputs.ReadsJsonScalar(endpoint);
        Refusal = EndpointInputs.Describe(endpoint);
        Marks = [.. endpoint.Metadata.GetOrderedMetadata<CoapServingMetadata>().Where(static mark => mark.Configure is not null)];
        _methods = EndpointMethods.Of(endpoint, codes);
    }

    public RouteEndpoint Endpoint { get; }

    public EndpointRouteTemplate[] Shapes { get; }

    public EndpointAuthorization Authorization { get; }

    public TimeSpan Timeout { get; }

    /// <summary>The marks that configure its CoAP routes, from the outermost to the innermost.</summary>
    public CoapServingMetadata[] Marks { get; }

    public IReadOnlyCollection<CoapMethod> Methods => _methods.Keys;

    /// <summary>The diagnostic text for a request that does not fit, if ASP.NET Core gives no reason.</summary>
    public string Refusal { get; }

    /// <summary>Its name in messages.</summary>
    public string Name => NameOf(Endpoint);

    public static string NameOf(RouteEndpoint endpoint) => endpoint.DisplayName ?? endpoint.RoutePattern.RawText ?? "An endpoint";

    /// <summary>Returns true once; the caller then logs.</summary>
    public bool TryReport() => Interlocked.Exchange(ref _isTold, 1) == 0;

    /// <summary>Whether it serves every request of a shape.</summary>
    public bool IsCertain(EndpointRouteTemplate shape) => _constraints.Length == 0
        && Endpoint.RoutePattern.PathSegments.All(static segment => segment.IsSimple)
        && Shapes.Any(own => own.Covers(shape));

    /// <summary>Returns the HTTP method for a CoAP method; null if the endpoint does not serve it.</summary>
    public string? MethodOf(CoapMethod method) => _methods.GetValueOrDefault(method);

    /// <summary>Whether it matches the path of a request; if so, the request gets its route values.</summary>
    public bool TryMatch(HttpContext context)
    {
        RouteValueDictionary values = [];
        if (!_matcher.TryMatch(context.Request.Path, values))
        {
            return false;
        }

        foreach ((string name, IRouteConstraint constraint) in _constraints)
        {
            if (!constraint.Match(context, null, name, values, RouteDirection.IncomingRequest))
            {
                return false;
            }
        }

        context.Request.RouteValues = values;
        return true;
    }

    /// <summary>Whether it accepts exactly this media type.</summary>
    public bool Names(string mediaType) =>
        _accepted?.Any(own => own.MediaType.Equals(mediaType, StringComparison.OrdinalIgnoreCase)) == true;

    /// <summary>The media type as which it gets a body: JSON if it reads JSON and the body has no type, or is text that is JSON.</summary>
    public string? TypeOf(string? contentType) => contentType is null ? (_readsJson ? EndpointInputs.Json : null)
        : _readsJsonScalar && MediaTypeHeaderValue.TryParse(contentType, out MediaTypeHeaderValue? type) && type.MediaType == "text/plain"
        ? EndpointInputs.Json : contentType;

    /// <summary>Whether it accepts bodies of a media type. Bodies without a type are left to the handler.</summary>
    public bool Takes(string? contentType) => _accepted is null
        || !MediaTypeHeaderValue.TryParse(contentType, out MediaTypeHeaderValue? type) || _accepted.Any(type.IsSubsetOf);
}
