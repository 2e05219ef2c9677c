using System.ComponentModel;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Binding;

/// <summary>
/// What generated code knows of a handler beside its parameters: which types and services it needs. Attached to the route. For generated
/// code.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CoapBoundRoute
{
    private readonly List<IJsonSlot> _slots = [];
    private readonly List<NeededService> _services = [];
    private readonly List<UnmarkedClass> _unmarked = [];
    private readonly List<string> _bodies = [];
    private readonly List<string> _routeNames = [];
    private CoapContentFormat[]? _produces;
    private CoapRouteHandlerBuilder? _route;

    /// <summary>Says that a parameter is the body, as JSON or CBOR.</summary>
    /// <typeparam name="T">The type of the parameter, without a question mark.</typeparam>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether the payload may be missing.</param>
    /// <param name="parser">Reads the type as text too; null when there is no text for it.</param>
    /// <returns>Reads it.</returns>
    public CoapBodySlot<T> Body<T>(string name, bool isOptional, CoapTextParser<T>? parser = null)
    {
        CoapBodySlot<T> slot = new(this, name, isOptional, parser);
        _slots.Add(slot);
        _bodies.Add(name);
        return slot;
    }

    /// <summary>Says that a parameter is the body as it is.</summary>
    /// <param name="name">The name of the parameter.</param>
    public void TakesBody(string name) => _bodies.Add(name);

    /// <summary>Says that a parameter is a service if the container knows its class, otherwise the body, as JSON or CBOR.</summary>
    /// <typeparam name="T">The type of the parameter, without a question mark.</typeparam>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether service or payload may be missing.</param>
    /// <returns>Finds it.</returns>
    public CoapServiceOrBodySlot<T> ServiceOrBody<T>(string name, bool isOptional)
        where T : class
    {
        CoapBodySlot<T> body = new(this, name, isOptional, parser: null);
        UnmarkedClass parameter = new(name, typeof(T), body);
        _unmarked.Add(parameter);
        return new CoapServiceOrBodySlot<T>(this, parameter, body, isOptional);
    }

    /// <summary>Says that the handler returns a value for JSON or CBOR.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <returns>Makes answers of values.</returns>
    public Func<CoapRequest, T, CoapResult> Answer<T>()
    {
        AnswerSlot<T> slot = new(this);
        _slots.Add(slot);
        _produces = typeof(T) == typeof(object) ? null : [CoapContentFormat.Json, CoapContentFormat.Cbor];
        return slot.ToResult;
    }

    /// <summary>Says that the handler returns text or bytes.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="format">The format of all answers.</param>
    /// <param name="convert">Makes answers of values.</param>
    /// <returns>The same function.</returns>
    public Func<CoapRequest, T, CoapResult> Answer<T>(CoapContentFormat format, Func<CoapRequest, T, CoapResult> convert)
    {
        _produces = [format];
        return convert;
    }

    /// <summary>Says that a parameter is a service.</summary>
    /// <param name="type">The type of the service.</param>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="key">The key of a service with a key.</param>
    public void NeedsService(Type type, string name, object? key = null) => _services.Add(new NeededService(type, name, key));

    /// <summary>Says that a parameter is in the template, or in the prefix of a group.</summary>
    /// <param name="name">The name in the template.</param>
    public void NeedsRouteValue(string name) => _routeNames.Add(name);

    /// <summary>Maps the handler that binds and calls.</summary>
    /// <param name="routes">The server or group.</param>
    /// <param name="template">The path.</param>
    /// <param name="methods">The methods.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The route.</returns>
    /// <exception cref="ArgumentException">The template is wrong, or lacks a parameter.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler of a method already.</exception>
    public CoapRouteHandlerBuilder Map(ICoapRouteBuilder routes, string template, IEnumerable<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler)
    {
        CoapRouteHandlerBuilder route = routes.Map(template, methods, handler);
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
        return _produces is null ? route : route.Produces(_produces);
    }

    /// <summary>Finds what the handler lacks.</summary>
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

        if (FindTwoBodies(services) is { } problem)
        {
            problems.Add(problem);
        }

        CoapJsonOptions options = FindOptions(services);
        foreach (IJsonSlot slot in _unmarked.Where(parameter => !parameter.IsService(services)).Select(static parameter => parameter.Body)
            .Concat(_slots))
        {
            if (!slot.TryPrepare(options))
            {
                problems.Add(LacksMetadata(slot));
            }
        }
    }

    /// <summary>What is wrong where parameters that the container does not know would be further bodies; null for nothing.</summary>
    internal string? FindTwoBodies(IServiceProvider? services)
    {
        UnmarkedClass[] unknown = [.. _unmarked.Where(parameter => !parameter.IsService(services))];
        string[] bodies = [.. _bodies, .. unknown.Select(static parameter => parameter.Name)];
        return bodies.Length < 2 ? null
            : $"{this}: the parameters {string.Join(" and ", bodies.Select(static name => $"'{name}'"))} would all be the body, and a "
                + "request has one. Register what is a service: "
                + $"{string.Join(" or ", unknown.Select(static parameter => $"services.AddSingleton<{parameter.Type.Name}>()"))}. Or mark "
                + "the body with CoapFromBody, or put all into one type.";
    }

    /// <summary>What a type that cannot be read or written needs.</summary>
    internal string LacksMetadata(IJsonSlot slot) =>
        $"{this}: {slot.Place} is a {slot.Type}, of which System.Text.Json knows nothing here. Add "
            + $"[JsonSerializable(typeof({slot.Type.Name}))] to a JsonSerializerContext, and the context by "
        + "services.ConfigureCoapJson(o => o.SerializerOptions.TypeInfoResolverChain.Insert(0, MyContext.Default)).";

    /// <summary>The options that hold for the route: its own, those of its groups, those of the host, the defaults.</summary>
    internal CoapJsonOptions FindOptions(IServiceProvider? services) =>
        _route?.FindMetadata<CoapJsonOptions>() ?? services?.GetService<IOptions<CoapJsonOptions>>()?.Value ?? CoapJsonOptions.Default;

    /// <summary>Methods and template, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        _route is null
            ? "a route"
            : $"{string.Join('/', _route.Methods.Select(static method => CoapCode.FromCoapMethod(method)))} {_route.Template}";

    private sealed record NeededService(Type Type, string Name, object? Key)
    {
        // A container that cannot be asked is believed.
        public bool IsThere(IServiceProvider? services) => services is not null
            && (Key is null
                ? services.GetService<IServiceProviderIsService>()?.IsService(Type) ?? true
                : services.GetService<IServiceProviderIsKeyedService>()?.IsKeyedService(Type, Key) ?? true);
    }
}
