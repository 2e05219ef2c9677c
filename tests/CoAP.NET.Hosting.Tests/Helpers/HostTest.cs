namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>
/// An application with what a test adds, on real sockets of the loopback interface. Waits for events only; the time limit is a guard
/// against hanging.
/// </summary>
public abstract class HostTest : IAsyncLifetime
{
    private readonly List<IHost> _hosts = [];

    internal LogRecorder Logged { get; } = new();

    protected static TimeSpan Guard { get; } = FromMinutes(2);

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        foreach (IHost host in Enumerable.Reverse(_hosts))
        {
            await ((IAsyncDisposable)host).DisposeAsync().AsTask().WaitAsync(Guard);
        }
    }

    /// <summary>An application without configuration of the machine. Of settings with one key the last one counts.</summary>
    protected HostApplicationBuilder Builder(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(settings.GroupBy(setting => setting.Key)
            .Select(same => new KeyValuePair<string, string?>(same.Key, same.Last().Value)));
        builder.Logging.AddProvider(Logged);
        return builder;
    }

    protected IHost Build(HostApplicationBuilder builder)
    {
        IHost host = builder.Build();
        _hosts.Add(host);
        return host;
    }

    protected async Task<IHost> StartAsync(HostApplicationBuilder builder)
    {
        IHost host = Build(builder);
        await host.StartAsync().WaitAsync(Guard);
        return host;
    }

    /// <summary>What an application that cannot start says of its options.</summary>
    protected async Task<string[]> StartFailuresAsync(HostApplicationBuilder builder)
    {
        Exception exception = await Assert.ThrowsAnyAsync<Exception>(() => Within(Build(builder).StartAsync()));
        IEnumerable<Exception> all = exception is AggregateException several ? several.InnerExceptions : [exception];
        return [.. all.SelectMany(one => Assert.IsType<OptionsValidationException>(one).Failures)];
    }

    /// <summary>The first address that a server listens on.</summary>
    protected static string AddressOf(IHost host, string name = "") =>
        host.Services.GetRequiredKeyedService<CoapServer>(name).LocalEndpoints[0].Origin();

    protected static async Task<T> Within<T>(Task<T> task) => await task.WaitAsync(Guard);

    protected static async Task Within(Task task) => await task.WaitAsync(Guard);
}
