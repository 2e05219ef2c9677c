using System.Text.Json;

namespace Shelly;

/// <summary>What a device says of its values (<c>/cit/d</c>): blocks, such as relays, and sensors in them, each with a number.</summary>
internal sealed class DeviceDescription
{
    private readonly Dictionary<int, string> _names = [];

    /// <summary>Reads <c>{"blk":[{"I":1,"D":"relay_0"}],"sen":[{"I":1101,"D":"State","L":1}]}</c>.</summary>
    public static DeviceDescription Parse(ReadOnlyMemory<byte> json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        Dictionary<int, string> blocks = document.RootElement.GetProperty("blk").EnumerateArray()
            .ToDictionary(block => block.GetProperty("I").GetInt32(), block => block.GetProperty("D").GetString()!);
        DeviceDescription description = new();
        foreach (JsonElement sensor in document.RootElement.GetProperty("sen").EnumerateArray())
        {
            // A sensor belongs to one block, or to several.
            JsonElement link = sensor.GetProperty("L");
            int block = link.ValueKind == JsonValueKind.Array ? link[0].GetInt32() : link.GetInt32();
            description._names[sensor.GetProperty("I").GetInt32()] =
                $"{blocks.GetValueOrDefault(block, "?")} {sensor.GetProperty("D").GetString()}";
        }

        return description;
    }

    /// <summary>Names the values of a status: <c>{"G":[[0,1101,1],[0,4101,23.5]]}</c>, triples of channel, number and value.</summary>
    public IReadOnlyList<(string Name, string Value)> Explain(ReadOnlyMemory<byte> status)
    {
        using JsonDocument document = JsonDocument.Parse(status);
        return
        [
            .. document.RootElement.GetProperty("G").EnumerateArray().Select(one =>
                (_names.GetValueOrDefault(one[1].GetInt32(), $"{one[1]}"), one[2].ToString())),
        ];
    }
}
