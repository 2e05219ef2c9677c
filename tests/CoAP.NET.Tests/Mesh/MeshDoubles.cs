namespace CoAP.NET.Tests.Mesh;

/// <summary>An item that counts how often it is given back.</summary>
internal sealed class Disposable(string name) : IDisposable
{
    private int _disposals;

    public string Name { get; } = name;

    public int Disposals => _disposals;

    public void Dispose() => Interlocked.Increment(ref _disposals);
}

/// <summary>An observer that keeps what it sees.</summary>
internal sealed class ListObserver<T> : IObserver<T>
{
    public List<T> Items { get; } = [];

    public TaskCompletionSource Completed { get; } = new(RunContinuationsAsynchronously);

    public void OnCompleted() => Completed.TrySetResult();

    public void OnError(Exception error) => Completed.TrySetException(error);

    public void OnNext(T value) => Items.Add(value);
}
