using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Server;

/// <summary>
/// The services of one request: a scope that is created with the first service, so that handlers without services cost nothing.
/// Thread-safe.
/// </summary>
internal sealed class RequestServices(IServiceProvider root) : IServiceProvider, ISupportRequiredService, IKeyedServiceProvider
{
    private static readonly object s_ended = new();

    // Null before the first service, then the scope, at last the mark that there are no more services. One field, because there is such an
    // object for every request.
    private object? _scope;

    private IServiceProvider Scoped
    {
        get
        {
            object? scope = Volatile.Read(ref _scope);
            if (scope is null)
            {
                IServiceScope made = root.GetRequiredService<IServiceScopeFactory>().CreateScope();
                scope = Interlocked.CompareExchange(ref _scope, made, null);
                if (scope is null)
                {
                    return made.ServiceProvider;
                }

                // Another thread was faster, or the request has ended.
                made.Dispose();
            }

            return scope is IServiceScope there
                ? there.ServiceProvider
                : throw new ObjectDisposedException(nameof(CoapRequestContext.Services),
                    "The request already has its answer, and its services are disposed. Take the services that you need before the "
                        + "handler ends, or create a scope of your own.");
        }
    }

    public object? GetService(Type serviceType) => Scoped.GetService(serviceType);

    public object GetRequiredService(Type serviceType) => Scoped.GetRequiredService(serviceType);

    public object? GetKeyedService(Type serviceType, object? serviceKey) =>
        ((IKeyedServiceProvider)Scoped).GetKeyedService(serviceType, serviceKey);

    public object GetRequiredKeyedService(Type serviceType, object? serviceKey) => Scoped.GetRequiredKeyedService(serviceType, serviceKey);

    /// <summary>Disposes the scope, if there is one.</summary>
    public ValueTask EndAsync()
    {
        object? scope = Interlocked.Exchange(ref _scope, s_ended);
        if (scope is IAsyncDisposable asynchronous)
        {
            return asynchronous.DisposeAsync();
        }

        (scope as IDisposable)?.Dispose();
        return ValueTask.CompletedTask;
    }
}
