namespace CoAP.NET.Tests;

/// <summary>Waits for what real threads do and no event tells of; a guard against hanging, no assertion about time.</summary>
internal static class Eventually
{
    public static async Task IsTrueAsync(Func<bool> condition)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromSeconds(30));
        while (!condition())
        {
            guard.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }
    }
}
