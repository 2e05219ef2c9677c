using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Components.Endpoints;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc.RazorPages;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticAssets;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Finds the reasons why endpoints of a web application cannot be served over CoAP.</summary>
internal static class EndpointMappingValidator
{
    private const string Grpc = "Grpc.AspNetCore.Server.GrpcMethodMetadata";

    /// <summary>Checks an endpoint.</summary>
    /// <returns>The reason and the remedy; null if the endpoint can be served.</returns>
    public static string? Of(RouteEndpoint endpoint, CoapEndpointMappingOptions options) =>
        OfKind(endpoint) ?? OfRoute(endpoint, options) ?? OfContent(endpoint) ?? OfRules(endpoint, options);

    private static string? OfKind(RouteEndpoint endpoint) =>
        endpoint.Metadata.GetMetadata<HttpOnlyMetadata>() is { } own ? own.Reason
        : Has<HubMetadata>(endpoint) || Has<NegotiateMetadata>(endpoint)
            ? "A SignalR hub needs its own connection. Let CoAP clients observe a resource instead: "
                + "WithCoap(route => route.Observable())."
        : endpoint.Metadata.Any(static item => item.GetType().FullName == Grpc)
            ? "gRPC needs HTTP/2. Map a separate handler for CoAP."
        : Has<StaticAssetDescriptor>(endpoint)
            ? "It serves a static file. Serve files with a handler that returns Results.File, or with CoapResults.File of the CoAP server."
        : Has<PageActionDescriptor>(endpoint) || Has<ComponentTypeMetadata>(endpoint)
            ? "It renders a page for browsers. Map a handler that returns the data."
        : endpoint.Order == int.MaxValue && endpoint.RoutePattern.Parameters.Any(static parameter => parameter.IsCatchAll)
            ? "It is a fallback and would replace every 4.04 response. Map the paths that it is for."
        : endpoint.RequestDelegate is null ? "It has no handler."
        : null;

    private static string? OfRoute(RouteEndpoint endpoint, CoapEndpointMappingOptions options) =>
        EndpointMethods.Of(endpoint, options.Translator.Codes).Count == 0
            ? $"CoAP has no counterpart of its methods: {string.Join(", ", MethodsOf(endpoint))}. CoAP has GET, POST, PUT, DELETE, PATCH, "
                + "and FETCH for QUERY."
        : endpoint.Metadata.GetMetadata<IHostMetadata>() is { Hosts.Count: > 0 } hosts
            ? $"It only serves the hosts {string.Join(", ", hosts.Hosts)}, but CoAP clients may name any host. Remove RequireHost, or map "
                + "the endpoint a second time for CoAP."
        : endpoint.RoutePattern.RequiredValues.Any(value => value.Value is not (null or "" or false)
            && endpoint.RoutePattern.GetParameter(value.Key) is not null)
            ? "It uses conventional routing. Give the controller an attribute route, such as [Route(\"/lights\")]."
        : endpoint.RoutePattern.PathSegments.Any(static segment => segment.Parts is [RoutePatternLiteralPart { Content: "." or ".." }])
            ? "A path segment '.' or '..' is not allowed in CoAP (RFC 7252 section 5.10.1). Write the path without them."
        : null;

    private static string? OfContent(RouteEndpoint endpoint) =>
        Has<IFromFormMetadata>(endpoint) || endpoint.Metadata.GetMetadata<IAntiforgeryMetadata>() is { RequiresValidation: true }
            || (endpoint.Metadata.GetMetadata<IAcceptsMetadata>() is { ContentTypes.Count: > 0 } accepts
                && accepts.ContentTypes.All(IsForm))
            ? "It reads a form, which has no CoAP Content-Format. Accept a JSON body, or the bytes with a parameter of type Stream."
        : endpoint.Metadata.GetOrderedMetadata<IProducesResponseTypeMetadata>()
            .Any(static produces => produces.ContentTypes.Contains(EventStreamMediaType.MediaType, StringComparer.OrdinalIgnoreCase))
            ? "It returns server-sent events, which never end. Serve the state as an observable resource: "
                + "WithCoap(route => route.Observable()), and CoapServer.Notify when it changes."
        : null;

    private static string? OfRules(RouteEndpoint endpoint, CoapEndpointMappingOptions options) =>
        options.Pipeline is null && Has<EnableRateLimitingAttribute>(endpoint) && !Has<DisableRateLimitingAttribute>(endpoint)
            ? "Its rate limit needs middleware, which does not run for CoAP by default. Add it: "
                + "MapCoap(coap => coap.Pipeline = pipeline => pipeline.UseRateLimiter())."
        : null;

    private static bool Has<T>(RouteEndpoint endpoint)
        where T : class => endpoint.Metadata.GetMetadata<T>() is not null;

    private static bool IsForm(string mediaType) => mediaType.StartsWith("multipart/", StringComparison.OrdinalIgnoreCase)
        || mediaType.Equals("application/x-www-form-urlencoded", StringComparison.OrdinalIgnoreCase);

    private static IEnumerable<string> MethodsOf(RouteEndpoint endpoint) =>
        endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods ?? [];
}
