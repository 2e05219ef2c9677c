using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>
/// A parameter of a class that nothing marks, where the methods have a body: a service if the container knows the class, otherwise the
/// body. For generated code.
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

    // Null until a container was asked. All requests of a route have the same one.
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
    /// <param name="body">The body; null where an optional one is missing, and for a service.</param>
    /// <param name="refusal">The answer when it cannot be read.</param>
    /// <returns>Whether the handler can be called.</returns>
    /// <exception cref="InvalidOperationException">System.Text.Json knows nothing of the type, or the handler would have two
    /// bodies.</exception>
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

    /// <summary>The argument of the handler: the service, or the body that was read.</summary>
    /// <param name="request">The request.</param>
    /// <param name="body">What <see cref="TryRead"/> gave.</param>
    /// <returns>The service or the body; null where an optional body is missing.</returns>
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
