namespace CoAP.NET.Tests;

/// <summary>Waits for what real threads do and no event tells of; a guard against hanging, no assertion about time.</summary>
internal static class Eventually
{
    private const int Moments = 100;

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
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        for (int looks = 0; !condition(); looks++)
        {
            if (guard.IsCancellationRequested)
            {
                return false;
            }

            await PauseAsync(looks);
        }

        return true;
    }

    /// <summary>Lets other threads run: at first for a moment, then without taking the processor that they may wait for.</summary>
    /// <param name="looks">How often it was looked in vain.</param>
    public static async Task PauseAsync(int looks)
    {
        if (looks < Moments)
        {
            await Task.Yield();
        }
        else
        {
            await Task.Delay(TimeSpan.FromMilliseconds(1), TimeProvider.System, CancellationToken.None);
        }
    }
}
