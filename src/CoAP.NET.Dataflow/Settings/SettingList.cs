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
        SettingList.ThrowIfReadOnly(_user, "list");
        base.InsertItem(index, item);
    }

    protected override void SetItem(int index, T item)
    {
        SettingList.ThrowIfReadOnly(_user, "list");
        base.SetItem(index, item);
    }

    protected override void RemoveItem(int index)
    {
        SettingList.ThrowIfReadOnly(_user, "list");
        base.RemoveItem(index);
    }

    protected override void ClearItems()
    {
        SettingList.ThrowIfReadOnly(_user, "list");
        base.ClearItems();
    }
}

/// <summary>What lists and dictionaries inside settings share.</summary>
internal static class SettingList
{
    /// <exception cref="InvalidOperationException">They are in use.</exception>
    public static void ThrowIfReadOnly(string? user, string what)
    {
        if (user is not null)
        {
            throw new InvalidOperationException($"This {what} cannot be changed any more: {user} uses the options that contain it. "
                + "Change it before, or create other options.");
        }
    }
}
