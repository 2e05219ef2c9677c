using System.Reflection;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// What an endpoint takes from a request. ASP.NET Core answers a request that does not fit without a reason, so the client and the log get
/// this.
/// </summary>
internal static class EndpointInputs
{
    /// <summary>The media type of JSON.</summary>
    public const string Json = "application/json";

    /// <summary>Describes the inputs of an endpoint in a sentence.</summary>
    public static string Describe(RouteEndpoint endpoint)
    {
        string[] inputs =
        [
            .. endpoint.Metadata.GetOrderedMetadata<IParameterBindingMetadata>()
                .Select(parameter => Describe(endpoint, parameter)).OfType<string>(),
        ];
        return inputs.Length == 0 ? "The endpoint refused the request."
            : $"The endpoint refused the request. It takes {string.Join(", ", inputs)}.";
    }

    /// <summary>
    /// Whether an endpoint reads JSON, and a body without a Content-Format is JSON to it, as it is to a handler of a CoAP server.
    /// </summary>
    public static bool ReadsJson(RouteEndpoint endpoint) =>
        endpoint.Metadata.GetMetadata<IAcceptsMetadata>()?.ContentTypes.Contains(Json) == true;

    /// <summary>Whether an endpoint reads a number or a truth value in JSON, which plain text writes in the same way.</summary>
    public static bool ReadsJsonScalar(RouteEndpoint endpoint) =>
        ReadsJson(endpoint) && endpoint.Metadata.GetMetadata<IAcceptsMetadata>()?.RequestType is { } type
        && ((Nullable.GetUnderlyingType(type) ?? type) is { IsPrimitive: true } or { FullName: "System.Decimal" });

    // Null for what does not come from the client, such as a service.
    private static string? Describe(RouteEndpoint endpoint, IParameterBindingMetadata parameter)
    {
        Type type = Nullable.GetUnderlyingType(parameter.ParameterInfo.ParameterType) ?? parameter.ParameterInfo.ParameterType;
        object[] attributes = parameter.ParameterInfo.GetCustomAttributes(inherit: false);
        if (Find<IFromQueryMetadata>(attributes) is { } query)
        {
            return Input("query argument", query.Name);
        }

        if (Find<IFromHeaderMetadata>(attributes) is { } header)
        {
            return Input("header", header.Name);
        }

        if (Find<IFromRouteMetadata>(attributes) is { } route)
        {
            return Input("route value", route.Name);
        }

        if (endpoint.RoutePattern.GetParameter(parameter.Name) is not null)
        {
            return Input("route value", null);
        }

        if (Find<IFromBodyMetadata>(attributes) is not null
            || endpoint.Metadata.GetMetadata<IAcceptsMetadata>()?.RequestType == parameter.ParameterInfo.ParameterType)
        {
            return Input("body", null);
        }

        return parameter.HasTryParse || type == typeof(string) ? Input("query argument", null) : null;

        string Input(string kind, string? name) => $"the {kind} '{name ?? parameter.Name}' ({type.Name})";
    }

    private static T? Find<T>(object[] attributes)
        where T : class => attributes.OfType<T>().FirstOrDefault();
}
