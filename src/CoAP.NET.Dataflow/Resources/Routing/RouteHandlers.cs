namespace CoAP.NET.Resources;

/// <summary>Converts the forms of users' handlers into one. No reflection: each form is a separate type.</summary>
internal static class RouteHandlers
{
    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<CoapResult> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (_, _) => new ValueTask<CoapResult>(handler());
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<string> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (_, _) => new ValueTask<CoapResult>(CoapResult.FromString(handler()));
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<ValueTask<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (_, _) => handler();
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<Task<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (_, _) => new ValueTask<CoapResult>(handler());
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<CoapRequest, CoapResult> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, _) => new ValueTask<CoapResult>(handler(request));
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<CoapRequest, ValueTask<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, _) => handler(request);
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<CoapRequest, Task<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, _) => new ValueTask<CoapResult>(handler(request));
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(Func<CoapRequest, CancellationToken, CoapResult> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, cancellationToken) => new ValueTask<CoapResult>(handler(request, cancellationToken));
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return handler;
    }

    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> From(
        Func<CoapRequest, CancellationToken, Task<CoapResult>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, cancellationToken) => new ValueTask<CoapResult>(handler(request, cancellationToken));
    }
}
