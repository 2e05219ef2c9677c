namespace CoAP.NET.Tests;

/// <summary>Waits for what real threads do and no event tells of; a guard against hanging, no assertion about time.</summary>
internal static class Eventually
{
    public static async Task IsTrueAsync(Func<bool> condition)
    {
        if (!await IsTrueOrHangsAsync(condition))
        {
            throw new TimeoutException("What was waited for did not happen within the guard against hanging.");
        }
    }

    /// <summary>For what the assertions after it name better than a timeout does.</summary>
    public static async Task<bool> IsTrueOrHangsAsync(Func<bool> condition)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromSeconds(30));
        while (!condition())
        {
            if (guard.IsCancellationRequested)
            {
                return false;
            }

            await Task.Yield();
        }

        return true;
    }
}
