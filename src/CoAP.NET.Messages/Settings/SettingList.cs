using System.Collections.ObjectModel;

namespace CoAP.NET.Settings;

/// <summary>A list inside settings.</summary>
/// <typeparam name="T">The type of its items.</typeparam>
/// <param name="items">The first items.</param>
internal sealed class SettingList<T>(params IEnumerable<T> items) : Collection<T>([.. items]), ISettings
{
    private string? _user;

    public void MakeReadOnly(string user) => _user ??= user;

    protected override void InsertItem(int index, T item)
    {
        ValueGuard.ThrowIfReadOnly(_user, "list");
        base.InsertItem(index, item);
    }

    protected override void SetItem(int index, T item)
    {
        ValueGuard.ThrowIfReadOnly(_user, "list");
        base.SetItem(index, item);
    }

    protected override void RemoveItem(int index)
    {
        ValueGuard.ThrowIfReadOnly(_user, "list");
        base.RemoveItem(index);
    }

    protected override void ClearItems()
    {
        ValueGuard.ThrowIfReadOnly(_user, "list");
        base.ClearItems();
    }
}
