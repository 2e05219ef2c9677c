namespace CoAP.NET.Tables;

/// <summary>The state of one slot of a table. <see cref="Gate"/> guards all of it.</summary>
internal class TablePartition
{
    /// <summary>Held during calls of the rules.</summary>
    public Lock Gate { get; } = new();

    public TableSlotEntries Entries { get; } = new();

    /// <exception cref="InvalidOperationException">This thread is inside a call of the rules.</exception>
    public void ThrowIfHeld()
    {
        if (Gate.IsHeldByCurrentThread)
        {
            throw new InvalidOperationException("The rules of a table used the table during their own call. Do it afterwards, on "
                + "another thread.");
        }
    }
}
