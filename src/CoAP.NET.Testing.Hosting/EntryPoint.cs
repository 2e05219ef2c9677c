using System.Diagnostics;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Testing;

/// <summary>
/// Runs the <c>Main</c> of an application on a thread of its own and captures its host. A <see cref="DiagnosticListener"/> of the host
/// reports when it is about to be built, so the factory can still change it, and when it is ready.
/// </summary>
internal sealed class EntryPoint : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    // Several applications may start at a time; each gets the events of the host that its own thread builds.
    private static readonly AsyncLocal<EntryPoint?> s_current = new();

    private readonly Assembly _assembly;
    private readonly string[] _arguments;
    private readonly Action<IHostBuilder> _configure;
    private readonly TaskCompletionSource<IHost> _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<IDisposable> _subscriptions = [];
    private IHostApplicationLifetime? _lifetime;

    public EntryPoint(Assembly assembly, string[] arguments, Action<IHostBuilder> configure)
    {
        _assembly = assembly;
        _arguments = arguments;
        _configure = configure;
    }

    public Task<IHost> StartAsync()
    {
        MethodInfo main = _assembly.EntryPoint
            ?? throw new InvalidOperationException(
                $"{_assembly.GetName().Name} has no Main: the type argument must be a type of the application, not of the tests.");
        // Not on a pool thread: Main may block its thread for as long as the application runs.
        Thread thread = new(() => Run(main)) { IsBackground = true, Name = $"Main of {_assembly.GetName().Name}" };
        thread.Start();
        return _started.Task;
    }

    /// <summary>Asks the host to stop.</summary>
    /// <returns>A task that completes when <c>Main</c> has returned.</returns>
    public Task StopAsync()
    {
        _lifetime?.StopApplication();
        return _started.Task.IsCompletedSuccessfully ? _ended.Task : Task.CompletedTask;
    }

    void IObserver<DiagnosticListener>.OnNext(DiagnosticListener value)
    {
        if (value.Name == "Microsoft.Extensions.Hosting" && s_current.Value == this)
        {
            _subscriptions.Add(value.Subscribe(this));
        }
    }

    void IObserver<KeyValuePair<string, object?>>.OnNext(KeyValuePair<string, object?> value)
    {
        if (s_current.Value != this)
        {
            return;
        }

        if (value is { Key: "HostBuilding", Value: IHostBuilder builder })
        {
            _configure(builder);
        }
        else if (value is { Key: "HostBuilt", Value: IHost host } && _lifetime is null)
        {
            _lifetime = host.Services.GetRequiredService<IHostApplicationLifetime>();
            _lifetime.ApplicationStarted.Register(() => _started.TrySetResult(host));
        }
    }

    void IObserver<DiagnosticListener>.OnCompleted()
    {
    }

    void IObserver<DiagnosticListener>.OnError(Exception error)
    {
    }

    void IObserver<KeyValuePair<string, object?>>.OnCompleted()
    {
    }

    void IObserver<KeyValuePair<string, object?>>.OnError(Exception error)
    {
    }

    private void Run(MethodInfo main)
    {
        s_current.Value = this;
        Exception? failure = null;
        using (DiagnosticListener.AllListeners.Subscribe(this))
        {
            try
            {
                if (main.Invoke(null, BindingFlags.DoNotWrapExceptions, null, main.GetParameters().Length == 0 ? null : [_arguments],
                    null) is Task task)
                {
                    task.GetAwaiter().GetResult();
                }
            }
#pragma warning disable CA1031 // callers that wait for the application get the failure
            catch (Exception exception)
#pragma warning restore CA1031
            {
                failure = exception;
            }
        }

        _subscriptions.ForEach(static subscription => subscription.Dispose());
        _started.TrySetException(
            new InvalidOperationException(
                $"{_assembly.GetName().Name} ended before its host had "
                    + $"started{(failure is null ? ": does its Main build and run a host?" : $". {failure.Message}")}", failure));
        if (failure is null)
        {
            _ended.TrySetResult();
        }
        else
        {
            _ended.TrySetException(failure);
        }

        // Observes the exceptions, in case no caller awaits these tasks.
        _ = _started.Task.Exception;
        _ = _ended.Task.Exception;
    }
}
