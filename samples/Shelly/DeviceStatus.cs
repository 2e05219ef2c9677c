namespace Shelly;

/// <summary>What a device published.</summary>
/// <param name="Device">Its type, identifier and protocol version.</param>
/// <param name="Values">Names and values.</param>
/// <param name="HoldsFor">How long that holds; after it without news the device is gone.</param>
/// <param name="Serial">A number that changes with the status.</param>
internal sealed record DeviceStatus(string Device, IReadOnlyList<(string Name, string Value)> Values, TimeSpan? HoldsFor, uint? Serial)
{
    public override string ToString() =>
        $"{Device} (serial {Serial}, holds for {HoldsFor?.TotalSeconds} "
            + $"s): {string.Join(", ", Values.Select(value => $"{value.Name} = {value.Value}"))}";
}
