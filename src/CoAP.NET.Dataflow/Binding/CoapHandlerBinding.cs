using System.ComponentModel;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>
/// What a handler with parameters needs and returns, as generated code declares it; checked before the first request. For generated code.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CoapHandlerBinding
{
    private readonly List<ISerializedParameterOrResult> _slots = [];
    private readonly List<NeededService> _services = [];
    private readonly List<ServiceOrBodyParameter> _unmarked = [];
    private readonly List<string> _bodies = [];
    private readonly List<string> _routeNames = [];
    private CoapContentFormat[]? _produces;
    private HandlerResultWriter? _answer;
    private IReadOnlyList<CoapContentFormat>? _declared;
    private CoapRouteHandlerBuilder? _route;

    /// <summary>Converts values from and to CBOR; null if the project of the handler does not reference CoAP.NET.Content.</summary>
    internal HandlerCborSerializer? Cbor { get; set; }

    /// <summary>Declares that a parameter gets the body, as JSON, as CBOR, or by a formatter.</summary>
    /// <typeparam name="T">The type of the parameter, without a question mark.</typeparam>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether the payload may be missing.</param>
    /// <param name="parser">Parses the type as text too; null if it has no text form.</param>
    /// <returns>The slot that reads it.</returns>
    public CoapBodyParameter<T> Body<T>(string name, bool isOptional, CoapParser<string, T>? parser = null)
    {
        CoapBodyParameter<T> slot = new(this, name, isOptional, parser);
        _slots.Add(slot);
        _bodies.Add(name);
        return slot;
    }

    /// <summary>Declares that a parameter gets the raw body.</summary>
    /// <param name="name">The name of the parameter.</param>
    public void TakesBody(string name) => _bodies.Add(name);

    /// <summary>Declares that a parameter gets a service if the container has its class, otherwise the body, as JSON or CBOR.</summary>
    /// <typeparam name="T">The type of the parameter, without a question mark.</typeparam>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether service or payload may be missing.</param>
    /// <returns>The slot that finds it.</returns>
    public CoapBodyParameter<T> ServiceOrBody<T>(string name, bool isOptional)
        where T : class
    {
        CoapBodyParameter<T> body = new(this, name, isOptional, parser: null);
        body.Parameter = new ServiceOrBodyParameter(name, typeof(T), body);
        _unmarked.Add(body.Parameter);
        return body;
    }

    /// <summary>Declares that the handler returns a value for JSON, CBOR or a formatter.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <returns>A function that creates answers from values.</returns>
    public Func<CoapRequestContext, T, CoapResult> Answer<T>()
    {
        HandlerResultWriter<T> slot = new(this);
        _slots.Add(slot);
        _answer = typeof(T) == typeof(object) ? null : slot;
        return slot.ToResult;
    }

    /// <summary>Declares that the handler returns text or bytes.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="format">The format of all answers.</param>
    /// <param name="convert">Creates answers from values.</param>
    /// <returns>The same function.</returns>
    public Func<CoapRequestContext, T, CoapResult> Answer<T>(CoapContentFormat format, Func<CoapRequestContext, T, CoapResult> convert)
    {
        _produces = [format];
        return convert;
    }

    /// <summary>Declares that a parameter gets a service.</summary>
    /// <param name="type">The type of the service.</param>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="key">The key of a keyed service.</param>
    public void NeedsService(Type type, string name, object? key = null) => _services.Add(new NeededService(type, name, key));

    /// <summary>Declares that a parameter occurs in the template, or in the prefix of a group.</summary>
    /// <param name="name">The name in the template.</param>
    public void NeedsRouteValue(string name) => _routeNames.Add(name);

    /// <summary>Maps the handler that binds and calls.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="methods">The methods.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The route.</returns>
    /// <exception cref="ArgumentException">The template is invalid, or lacks a parameter.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler of a method.</exception>
    public CoapRouteHandlerBuilder Map(ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        CoapHandler handler)
    {
        CoapRouteHandlerBuilder route = routes.Add(template, [.. methods], handler);
        foreach (string name in _routeNames)
        {
            if (!route.Template.Contains($"/{{{name}}}", StringComparison.Ordinal)
                && !route.Template.Contains($"/{{*{name}}}", StringComparison.Ordinal))
            {
                route.Unmap();
                throw new ArgumentException(
                    $"The handler of '{route.Template}' has a parameter that is to come from the route, but the path has no {{{name}}}. "
                        + $"Put it into the template, or name another one in CoapFromRoute.", nameof(template));
            }
        }

        _route = route.WithMetadata(this);
        if (_answer is not null)
        {
            DeclareFormats(FindOptions(null));
        }

        return _produces is null ? route : route.Produces(_produces);
    }

    /// <summary>
    /// Declares the formats of the result, unless the application has declared others: when the route is mapped, and again when all
    /// options are known.
    /// </summary>
    internal void DeclareFormats(CoapJsonOptions options)
    {
        if (_answer?.ListFormats(options) is { } formats && _route is { } route
            && (_declared is null || (ReferenceEquals(route.ProducedFormats, _declared) && !_declared.SequenceEqual(formats))))
        {
            _declared = route.Produces(formats).ProducedFormats;
        }
    }

    /// <summary>Finds missing services and metadata of the handler.</summary>
    internal void Check(IServiceProvider? services, List<string> problems)
    {
        foreach (NeededService service in _services)
        {
            if (!service.IsThere(services))
            {
                problems.Add($"{this}: the parameter '{service.Name}' is a service of "
                    + $"type {service.Type}{(service.Key is null ? string.Empty : $" with the key '{service.Key}'")}, which is not "
                    + "registered. "
                    + "Register it, make the parameter nullable, or mark it with CoapFromBody if it is the body.");
            }
        }

        if (FindTwoBodies(services) is { } twoBodies)
        {
            problems.Add(twoBodies);
        }

        CoapJsonOptions options = FindOptions(services);
        foreach (ISerializedParameterOrResult slot in _unmarked.Where(parameter => !parameter.IsService(services))
            .Select(static parameter => parameter.Body)
            .Concat(_slots))
        {
            if (!slot.TryPrepare(options, out string? problem))
            {
                problems.Add(problem);
            }
        }
    }

    /// <summary>
    /// The problem of parameters that would be further bodies because the container does not have their classes; null for none.
    /// </summary>
    internal string? FindTwoBodies(IServiceProvider? services)
    {
        ServiceOrBodyParameter[] unknown = [.. _unmarked.Where(parameter => !parameter.IsService(services))];
        string[] bodies = [.. _bodies, .. unknown.Select(static parameter => parameter.Name)];
        return bodies.Length < 2 ? null
            : $"{this}: the parameters {string.Join(" and ", bodies.Select(static name => $"'{name}'"))} would all be the body, but a "
                + "request has one. Register what is a service: "
                + $"{string.Join(" or ", unknown.Select(static parameter => $"services.AddSingleton<{parameter.Type.Name}>()"))}. Or mark "
                + "the body with CoapFromBody, or put all into one type.";
    }

    /// <summary>Creates the message for a type without metadata.</summary>
    internal string LacksMetadata(ISerializedParameterOrResult slot) =>
        $"{this}: {slot.Place} is a {slot.Type}, of which System.Text.Json knows nothing here. Add "
            + $"[JsonSerializable(typeof({slot.Type.Name}))] to a JsonSerializerContext, and the context by "
        + "services.ConfigureCoapJson(o => o.SerializerOptions.TypeInfoResolverChain.Insert(0, MyContext.Default)), or without a host by "
        + "WithMetadata(options) with CoapJsonOptions of the route.";

    /// <summary>Finds the options of the route: its own, those of its groups, those of the host, the defaults.</summary>
    internal CoapJsonOptions FindOptions(IServiceProvider? services) =>
        (_route?.FindMetadata<CoapJsonOptions>()
            ?? (services ?? _route?.FindMetadata<HostServicesMetadata>()?.Provider)?.GetService<CoapJsonOptions>()
            ?? CoapJsonOptions.Default).MakeReadOnlyFor("a route");

    /// <summary>Returns methods and template as readable text.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        _route is null
            ? "a route"
            : $"{string.Join('/', _route.Methods.Select(static method => CoapCode.FromCoapMethod(method)))} {_route.Template}";

    private sealed record NeededService(Type Type, string Name, object? Key)
    {
        // Assumes that a container has the service if it does not support the query.
        public bool IsThere(IServiceProvider? services) => services is not null
            && (Key is null
                ? services.GetService<IServiceProviderIsService>()?.IsService(Type) ?? true
                : services.GetService<IServiceProviderIsKeyedService>()?.IsKeyedService(Type, Key) ?? true);
    }
}
