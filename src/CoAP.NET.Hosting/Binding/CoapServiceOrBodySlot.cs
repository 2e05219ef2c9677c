using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>
/// A parameter of an unmarked class, if the methods have a body: a service if the container has the class, otherwise the body. For
/// generated code.
/// </summary>
/// <typeparam name="T">The type of the parameter.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CoapServiceOrBodySlot<T>
    where T : class
{
    private readonly CoapBoundRoute _route;
    private readonly UnmarkedClass _parameter;
    private readonly CoapBodySlot<T> _body;
    private readonly bool _isOptional;

    // Null until the first look-up. All requests of a route have the same container.
    private volatile object? _isService;

    internal CoapServiceOrBodySlot(CoapBoundRoute route, UnmarkedClass parameter, CoapBodySlot<T> body, bool isOptional)
    {
        _route = route;
        _parameter = parameter;
        _body = body;
        _isOptional = isOptional;
    }

    /// <summary>Reads the body, if the parameter is the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="body">The body; null for a missing optional one, and for a service.</param>
    /// <param name="refusal">The answer if the body is invalid.</param>
    /// <returns>True if the handler can run.</returns>
    /// <exception cref="InvalidOperationException">
    /// System.Text.Json has no metadata of the type, or the handler would have two bodies.
    /// </exception>
    public bool TryRead(CoapRequest request, out T? body, [NotNullWhen(false)] out CoapResult? refusal)
    {
        if (!IsService(request))
        {
            return _body.TryRead(request, out body, out refusal);
        }

        body = null;
        refusal = null;
        return true;
    }

    /// <summary>Returns the argument of the handler: the service, or the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="body">The body from <see cref="TryRead"/>.</param>
    /// <returns>The service or the body; null for a missing optional body.</returns>
    public T? Value(CoapRequest request, T? body) =>
        !IsService(request) ? body : _isOptional ? CoapArguments.OptionalService<T>(request) : CoapArguments.Service<T>(request);

    private bool IsService(CoapRequest request)
    {
        if (_isService is bool known)
        {
            return known;
        }

        IServiceProvider? services = request.Services;
        bool isService = _parameter.IsService(services);
        if (!isService && _route.FindTwoBodies(services) is { } problem)
        {
            throw new InvalidOperationException(problem);
        }

        _isService = isService;
        return isService;
    }
}
