using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Mesh;

/// <summary>An item that counts how often it is given back.</summary>
internal sealed class Disposable(string name) : IDisposable
{
    private int _disposals;

    public string Name { get; } = name;

    public int Disposals => _disposals;

    public void Dispose() => Interlocked.Increment(ref _disposals);
}

/// <summary>A logger that keeps what it is told.</summary>
internal sealed class ListLogger : ILogger
{
    public ConcurrentQueue<(LogLevel Level, EventId Id, Exception? Exception)> Entries { get; } = new();

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
            Entries.Enqueue((logLevel, eventId, exception));
}

/// <summary>A logger of a user that is broken.</summary>
internal sealed class ThrowingLogger : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
            throw new InvalidOperationException("logger");
}

/// <summary>An observer that keeps what it sees.</summary>
internal sealed class ListObserver<T> : IObserver<T>
{
    public List<T> Items { get; } = [];

    public TaskCompletionSource Completed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void OnCompleted() => Completed.TrySetResult();

    public void OnError(Exception error) => Completed.TrySetException(error);

    public void OnNext(T value) => Items.Add(value);
}
