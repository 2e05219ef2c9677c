namespace CoAP.NET.Cluster.Tests.Tables;

public sealed class TableSlotEntriesTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void The_entries_equal_those_of_a_model_after_random_changes_and_expire_in_order(int seed)
    {
        Random random = new(seed);
        TableSlotEntries entries = new();
        Dictionary<string, (byte[] Value, long Expires)> model = [];
        for (int step = 1; step <= 20_000; step++)
        {
            // Many more keys at first, and fewer later.
            byte[] key = [7, (byte)random.Next(3), (byte)random.Next(step < 10_000 ? 256 : 16)];
            string name = Convert.ToHexString(key);
            int index = entries.Find(key);
            Assert.Equal(model.ContainsKey(name), index != TableSlotEntries.None);
            switch (random.Next(4))
            {
                case 0 when index != TableSlotEntries.None:
                    entries.Remove(index);
                    model.Remove(name);
                    break;
                case 1 when index != TableSlotEntries.None:
                    long moved = random.Next(1000);
                    entries.SetExpires(index, moved);
                    model[name] = model[name] with { Expires = moved };
                    break;
                default:
                    byte[] value = new byte[random.Next(4)];
                    random.NextBytes(value);
                    long expires = random.Next(4) == 0 ? TableContents.Never : random.Next(1000);
                    entries.Put(TableEntry.DataOf(key, value), key.Length, expires);
                    model[name] = (value, expires);
                    break;
            }

            if (step % 500 == 0)
            {
                Compare(entries, model);
            }
        }

        // In the order in which they end.
        long last = 0;
        while (entries.FirstToEnd is not TableSlotEntries.None and var first)
        {
            Assert.True(entries[first].Expires >= last);
            last = entries[first].Expires;
            model.Remove(Convert.ToHexString(entries[first].Key));
            entries.Remove(first);
        }

        Assert.All(model.Values, one => Assert.Equal(TableContents.Never, one.Expires), throwIfEmpty: true);
        Compare(entries, model);
    }

    private static void Compare(TableSlotEntries entries, Dictionary<string, (byte[] Value, long Expires)> model)
    {
        Assert.Equal(model.Count, entries.Count);
        Assert.Equal(
            model.Values.Select(one => one.Expires).Where(expires => expires != TableContents.Never)
                .DefaultIfEmpty(TableContents.Never).Min(),
            entries.FirstToEnd == TableSlotEntries.None ? TableContents.Never : entries[entries.FirstToEnd].Expires);
        int count = 0;
        foreach (int index in entries.All)
        {
            (byte[] value, long expires) = model[Convert.ToHexString(entries[index].Key)];
            Assert.Equal(value, entries[index].Value.ToArray());
            Assert.Equal(expires, entries[index].Expires);
            count++;
        }

        Assert.Equal(model.Count, count);
    }
}
