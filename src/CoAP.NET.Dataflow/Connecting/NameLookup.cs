using System.Net;

namespace CoAP.NET.Connecting;

/// <summary>A lookup of a host name that runs or waits for a place. All callers that need the name share it.</summary>
/// <param name="name">The name.</param>
/// <param name="onBehalfOf">The source whose quota it uses; null for the caller itself.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
internal sealed class NameLookup(string name, CoapQuotaSource? onBehalfOf)
#pragma warning restore CA1001
{
    private readonly TaskCompletionSource<IPAddress[]> _found = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _givenUp = new();

    public string Name => name;

    public CoapQuotaSource? OnBehalfOf => onBehalfOf;

    /// <summary>The number of callers that wait. Guarded by the lock of the resolver.</summary>
    public int Waiters { get; set; }

    public Task<IPAddress[]> Task => _found.Task;

    /// <summary>Cancelled when no caller waits any more.</summary>
    public CancellationToken GivenUp => _givenUp.Token;

    public void GiveUp() => _givenUp.Cancel();

    public void Complete(Task<IPAddress[]> ended)
    {
        _found.TrySetFromTask(ended);

        // A failure that no caller waits for is observed.
        _ = _found.Task.Exception;
    }
}
