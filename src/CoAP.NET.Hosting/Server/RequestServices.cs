using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>The services of one request: a scope that is made when the first service is asked for, so that handlers that need none pay nothing. Safe for several threads.</summary>
internal sealed class RequestServices(IServiceProvider root) : IServiceProvider, ISupportRequiredService, IKeyedServiceProvider
{
    private readonly Lock _gate = new();
    private AsyncServiceScope? _scope;
    private bool _isEnded;

    private IServiceProvider Scoped
    {
        get
        {
            lock (_gate)
            {
                return _isEnded
                    ? throw new ObjectDisposedException(nameof(CoapRequest.Services), "The request was answered; its services are gone. Take what you need before the handler ends, or make a scope of your own.")
                    : (_scope ??= root.CreateAsyncScope()).ServiceProvider;
            }
        }
    }

    public object? GetService(Type serviceType) => Scoped.GetService(serviceType);

    public object GetRequiredService(Type serviceType) => Scoped.GetRequiredService(serviceType);

    public object? GetKeyedService(Type serviceType, object? serviceKey) => ((IKeyedServiceProvider)Scoped).GetKeyedService(serviceType, serviceKey);

    public object GetRequiredKeyedService(Type serviceType, object? serviceKey) => Scoped.GetRequiredKeyedService(serviceType, serviceKey);

    /// <summary>Disposes the scope, if there is one.</summary>
    public ValueTask EndAsync()
    {
        AsyncServiceScope? scope;
        lock (_gate)
        {
            _isEnded = true;
            (scope, _scope) = (_scope, null);
        }

        return scope?.DisposeAsync() ?? ValueTask.CompletedTask;
    }
}
