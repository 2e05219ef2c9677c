using System.Runtime.CompilerServices;

namespace CoAP.NET.Resources;

/// <summary>Converts the forms of users' handlers into one. No reflection: each form is a separate type.</summary>
internal static class RouteHandlerConverter
{
    public static CoapHandler From(Func<CoapRequestContext, CoapResult> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return (request, _) => new ValueTask<CoapResult>(handler(request));
    }

    /// <summary>
    /// Converts a handler that takes nothing but a request and a token, and returns a <see cref="CoapResult"/>, a task of it, or, without
    /// parameters, a text. The source generator leaves these forms alone, and replaces the calls with all others.
    /// </summary>
    /// <exception cref="InvalidOperationException">It has another form, and the call was not replaced.</exception>
    public static CoapHandler From(Delegate handler, string template)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return handler switch
        {
            CoapHandler same => same,
            Func<CoapResult?> call => (_, _) => new ValueTask<CoapResult>(call() ?? CoapResults.NotFound()),
            Func<ValueTask<CoapResult?>> call => (_, _) => OrNotFound(call()),
            Func<Task<CoapResult?>> call => (_, _) => OrNotFound(new ValueTask<CoapResult?>(call())),
            Func<string?> call => (_, _) => new ValueTask<CoapResult>(
                call() is { } text ? (CoapResult)text : CoapResults.NotFound()),
            Func<CoapRequestContext, CoapResult?> call => (request, _) =>
                new ValueTask<CoapResult>(call(request) ?? CoapResults.NotFound()),
            Func<CoapRequestContext, ValueTask<CoapResult?>> call => (request, _) => OrNotFound(call(request)),
            Func<CoapRequestContext, Task<CoapResult?>> call => (request, _) => OrNotFound(new ValueTask<CoapResult?>(call(request))),
            Func<CoapRequestContext, CancellationToken, CoapResult?> call => (request, cancellationToken) =>
                new ValueTask<CoapResult>(call(request, cancellationToken) ?? CoapResults.NotFound()),
            Func<CoapRequestContext, CancellationToken, ValueTask<CoapResult?>> call => (request, cancellationToken) =>
                OrNotFound(call(request, cancellationToken)),
            Func<CoapRequestContext, CancellationToken, Task<CoapResult?>> call => (request, cancellationToken) =>
                OrNotFound(new ValueTask<CoapResult?>(call(request, cancellationToken))),
            _ => throw new InvalidOperationException(
                $"The source generator did not replace the call that maps '{template}' at compile time, so the parameters of its handler "
                    + "do not bind. Pass a lambda or the name of a method instead of a variable; look at the COAP warnings of the build; "
                    + "reference the package CoAP.NET.Dataflow in the project that maps the route; and see that its property "
                    + "InterceptorsNamespaces has CoAP.NET.Generated. In other languages than C# pass a CoapHandler."),
        };
    }

    /// <summary>
    /// Returns whether the responses of a handler depend on the client: false for one without parameters, which cannot see the client;
    /// null if that is unknown.
    /// </summary>
    public static bool? DependsOnClient(Delegate handler) => handler switch
    {
        Func<CoapResult?> or Func<ValueTask<CoapResult?>> or Func<Task<CoapResult?>> or Func<string?> => false,
        _ => null,
    };

    // Null means 4.04, as for every handler of these overloads. The server awaits each answer once, so waiting needs no object of its own.
    private static ValueTask<CoapResult> OrNotFound(ValueTask<CoapResult?> pending)
    {
        return pending.IsCompletedSuccessfully
            ? new ValueTask<CoapResult>(pending.Result ?? CoapResults.NotFound())
            : Await(pending);

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<CoapResult> Await(ValueTask<CoapResult?> pending) =>
            await pending.ConfigureAwait(false) ?? CoapResults.NotFound();
    }
}
